// One life of a run: begins it or resumes it, until it ends or the process is killed.
//
//   node life.mjs <seed> <folder>
//
// Calls of functions go to the file `calls`, and to standard output, line by line, goes what listeners received.
import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Workflow } from "stepweave";
import { fileStore } from "stepweave/stores/node";
import { summary } from "./summary.mjs";
import { handlersFor, randomWorkflow } from "./workflow.mjs";

const [seed, folder] = process.argv.slice(2);
const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

const { document, behaviour } = randomWorkflow(Number(seed));
const handlers = handlersFor(behaviour, (call) => appendFileSync(join(folder, "calls"), `${JSON.stringify(call)}\n`));
const workflow = Workflow.fromDocument(document, { handlers });

tell({ type: "begins" });
for await (const event of workflow.stream({ journal: "run", store: fileStore(folder) })) {
  if (event.type === "step.done") tell({ type: "done", key: event.step.key });
  if (event.result !== undefined) tell({ type: "ended", summary: summary(event.result) });
}
