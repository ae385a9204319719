// One of several processes over a folder of journals: it polls, and says what it does.
import { Workflow } from "stepweave";
import { bearer, handler, poller } from "stepweave/http";
import { fileStore } from "stepweave/stores/node";

const store = fileStore(process.argv[2]);
const workflow = new Workflow({
  name: "remind",
  steps: [{ name: "note", run: () => ({}) }, { name: "week", wait: { ms: 6 * 86_400_000 } }, { name: "mail", run: () => (console.log("mail"), { mailed: true }) }],
});
const serve = handler(workflow, { authorize: bearer({ ann: "ann-has-a-token-of-32-characters" }), store, run: { longWaitMs: 60_000 } });
const wake = async (options) => {
  const woken = await serve.wake(options);
  console.log("looked");
  return woken;
};
poller({ wake }, { store, everyMs: 1_000 });
setTimeout(() => console.log("ready"), 200);
