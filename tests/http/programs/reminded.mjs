// A workflow that sleeps, in a Worker that a cron wakes.
import { Workflow } from "stepweave";
import { bearer, handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";

const remind = new Workflow({ name: "remind", steps: [{ name: "pause", wait: { ms: 1000 } }, { name: "mail", run: () => ({ mailed: true }) }] });
const token = "a token of more than sixteen characters".replaceAll(" ", "-");
const fetch = handler(remind, { authorize: bearer({ shop: token }), store: memoryStore(), run: { longWaitMs: 20 } });

export default { fetch, scheduled: (_event, _environment, context) => context.waitUntil(fetch.wake()) };
