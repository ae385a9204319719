// The processes that measure themselves, and the one that answers as a model.
import { fork } from "node:child_process";
import { answerOf } from "../answer.mjs";

/** Has a module measure itself in a process of its own, which then ends. */
export async function measured(module, measure, options) {
  const process = fork(new URL("child.mjs", import.meta.url), [new URL(module, import.meta.url).href], { execArgv: ["--expose-gc"] });
  try {
    await answerOf(process, module);
    process.send({ measure, options });
    return await answerOf(process, module);
  } finally {
    process.kill();
  }
}

/** Calls `use` with the address of a model that answers in so many pieces. */
export async function withModel(pieces, use) {
  const process = fork(new URL("model.mjs", import.meta.url), [String(pieces)]);
  try {
    return await use(await answerOf(process, "the model"));
  } finally {
    process.disconnect();
  }
}
