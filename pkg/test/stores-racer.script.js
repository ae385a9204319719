// Continues a journal as often as its arguments say, against others that do the same.
import { fileStore } from "stepweave/stores/node";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

const [folder, name, times] = process.argv.slice(2);
const store = fileStore(folder);
const won = [];
let lost = 0;
while (won.length < 2 * Number(times)) {
  const held = (await store.load("race"))?.entries.length ?? 0;
  const key = `${name}.${won.length}`;
  try {
    await store.append("race", [{ key, at: 1 }, { key: `${key}+`, at: 1 }], held, SUMMARY);
    won.push(key, `${key}+`);
  } catch (error) {
    if (error.code !== "conflict") throw error;
    lost += 1;
  }
}
process.send({ won, lost });
process.disconnect();
