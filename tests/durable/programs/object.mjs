// A Worker in front of objects that keep runs; `POST /abort` evicts one as the platform may: in the middle of anything.
import { Workflow } from "stepweave";
import { runsObject } from "stepweave/durable";
import { bearer } from "stepweave/http";
import { workflow } from "./steps.mjs";

const TOKEN = "a-token-of-more-than-sixteen-characters";
const options = (env) => ({
  authorize: bearer({ tester: TOKEN }),
  run: { longWaitMs: 0, dependencies: { fetch: (...given) => fetch(...given), origin: env.ORIGIN } },
  onError: (error) => console.error(error),
});

/** Objects whose storage a test looks at, and that it evicts. */
const evictable = (Made) =>
  class extends Made {
    #context;

    constructor(context, env) {
      super(context, env);
      this.#context = context;
    }

    async fetch(request) {
      if (new URL(request.url).pathname === "/abort") this.#context.abort("evicted by the test");
      return super.fetch(request);
    }
  };

export class Killed extends evictable(runsObject(workflow, options)) {}

/** Waits that are longer than any test keeps its objects. */
const sleeper = new Workflow({
  name: "sleeper",
  input: { type: "object", properties: { run: { type: "string" }, ms: { type: "number" } }, required: ["run", "ms"] },
  steps: [
    { name: "rest", wait: { until: "ms" } },
    {
      name: "woken",
      run: async ({ run }, { idempotencyKey, dependencies }) => {
        await dependencies.fetch(`${dependencies.origin}/operations`, { method: "POST", body: JSON.stringify({ operation: run, key: idempotencyKey }) });
      },
    },
  ],
});

export class Sleeper extends evictable(runsObject(sleeper, options)) {}

/** Results that no row holds. */
const large = new Workflow({ name: "large", steps: [{ name: "much", run: () => ({ text: "ä😀".repeat(1_200_000) }) }, { name: "boss", type: "approval" }, { name: "length", run: ({ text }) => ({ length: text.length, text: text.slice(-3) }) }] });

export class Large extends evictable(runsObject(large, options)) {}

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const [, kind, name, ...rest] = pathname.split("/");
    const objects = env[kind];
    const target = new URL(`/${rest.join("/")}${search}`, request.url);
    return objects.get(objects.idFromName(name)).fetch(new Request(target, request));
  },
};
