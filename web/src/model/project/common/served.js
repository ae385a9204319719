import { handler, poller } from "stepweave/http";
import { fileStore } from "stepweave/stores/node";
import { ownerOf } from "./access.js";
import { runOptions } from "./settings.js";
import { workflow } from "./workflow.js";

/** Waits that are longer stay in no memory: the poller wakes their runs. */
const LONG_WAIT_MS = 60_000;

/** A run in which nothing has come for so long was under way in a process that has ended: more than any call takes. */
const STALE_MS = 30 * 60_000;

/** The workflow as a `fetch`, over a folder of runs; further options of each run may be given. */
export function served(environment, { folder, ...options }) {
  const store = fileStore(folder);
  const fetch = handler(workflow, { authorize: ownerOf(environment), store, run: { longWaitMs: LONG_WAIT_MS, ...runOptions(environment), ...options } });
  const polling = poller(fetch, { store, staleMs: STALE_MS });
  return { fetch, stop: () => polling.stop() };
}
