// One life of several runs: begins or resumes each, until all end or the process is killed.
//
//   node life.mjs <job as JSON>
//
// To standard output goes, line by line, what listeners receive.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Workflow } from "stepweave";
import { fileStore } from "stepweave/stores/node";
import { clerk, documentOf } from "./workflow.mjs";

const { folder, origin, life, runs, moment, number, ms } = JSON.parse(process.argv[2]);
const tell = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const end = () => process.kill(process.pid, "SIGKILL");

let sent = 0;

/** Sends; at the moment that the job names the process ends. */
function counted(url, init) {
  sent += 1;
  const isLast = sent === number;
  if (isLast && moment === "before") end();
  const headers = { ...init.headers, "x-life": `${life}`, "x-process": `${process.pid}`, ...(isLast && { "x-end": moment }) };
  const answer = fetch(url, { ...init, headers });
  if (isLast && moment === "sending") sleep(ms).then(end);
  return answer;
}

/** What a person has to know of a run that ended. */
function shown({ status, state, error }) {
  return { status, state, code: error?.code, hint: error?.hint, step: error?.step?.name };
}

await Promise.all(
  runs.map(async ({ run, seed, onUnknown }) => {
    const workflow = Workflow.fromDocument(documentOf(seed, run, onUnknown, origin), { models: { clerk } });
    for await (const event of workflow.stream({ journal: run, store: fileStore(folder), fetch: counted, allowOrigins: [origin] })) {
      const { type, output, result, code } = event;
      if (type === "step.done" && typeof output === "string") tell({ type: "done", operation: output });
      if (type === "tool.done") tell({ type: "done", operation: output });
      if (type === "run.warning") tell({ type: "warning", run, code });
      if (result !== undefined) tell({ type: "ended", run, ...shown(result) });
    }
  }),
);
