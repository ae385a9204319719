// A module in a process of its own, which measures itself on request: what one takes is not another's.
//   node --expose-gc child.mjs MODULE
import { MEASURES } from "./measures.mjs";

const made = await import(process.argv[2]);

process.on("message", ({ measure, options }) => {
  MEASURES[measure](made, options).then(
    (value) => process.send({ value }),
    (error) => process.send({ error: error.stack }),
  );
});
process.send({ value: "ready" });
