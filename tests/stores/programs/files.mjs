// The file store in Deno and Bun: a line of JSON for each case, and for a race against another process.
import { fileStore } from "stepweave/stores/node";
import { conformance } from "../../../pkg/test/stores-conformance.js";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

const [folder, name] = process.argv.slice(2);
if (name === undefined) {
  let count = 0;
  for await (const outcome of conformance(() => {
    const place = `${folder}/${(count += 1)}`;
    return { open: () => fileStore(place) };
  })) {
    console.log(JSON.stringify(outcome));
  }
} else {
  const store = fileStore(folder);
  for (let wins = 0; wins < 30; ) {
    const held = (await store.load("race"))?.entries.length ?? 0;
    try {
      await store.append("race", [{ key: `${name}.${wins}`, at: 1 }], held, SUMMARY);
      wins += 1;
    } catch (error) {
      if (error.code !== "conflict") throw error;
    }
  }
}
