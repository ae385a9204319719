// Appends as fast as it can until it is killed; writes the number of entries after each append that was acknowledged.
import { writeSync } from "node:fs";
import { fileStore } from "stepweave/stores/node";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

const [folder, id] = process.argv.slice(2);
const store = fileStore(folder);
let count = (await store.load(id))?.entries.length ?? 0;
process.send("ready");
for (;;) {
  const size = 1 + (count % 7);
  const text = "é".repeat(count % 3 === 0 ? 20_000 : 10);
  const entries = Array.from({ length: size }, (_, index) => ({ key: `k${count + index}`, at: 1, ok: { at: count + index, text, isLast: index === size - 1 } }));
  await store.append(id, entries, count, SUMMARY);
  count += size;
  writeSync(1, `${count}\n`);
}
