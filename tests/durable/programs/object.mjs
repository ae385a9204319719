// A Worker in front of objects that keep runs; `POST /abort` evicts one as the platform may: in the middle of anything.
import { DurableObject } from "cloudflare:workers";
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

/** Fails when it is called for the first time. */
let failures = 0;
const failing = new Workflow({
  name: "failing",
  steps: [{ name: "fail", run: () => { if (failures++ === 0) throw new Error("down for a moment"); return { failures }; } }],
});

/** With methods that Workers call. */
export class Operated extends runsObject(failing, options, DurableObject) {
  /** Which of its base's members it has. */
  kept() {
    return { hasContext: this.ctx !== undefined, origin: this.env.ORIGIN };
  }
}

/** Asks people, and is killed while it does so the first time. */
let lives = 0;
const asking = new Workflow({ name: "asking", steps: [{ name: "boss", type: "approval" }] });

export class Asking extends evictable(
  runsObject(asking, (env) => ({
    ...options(env),
    async onSuspended({ runId, pending: [{ key }] }) {
      await fetch(`${env.ORIGIN}/operations`, { method: "POST", body: JSON.stringify({ operation: `asking ${runId}`, key }) });
      if (lives++ === 0) await new Promise((resolve) => setTimeout(resolve, 120_000));
    },
  })),
) {}

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const [, kind, name, ...rest] = pathname.split("/");
    const objects = env[kind];
    const called = objects.get(objects.idFromName(name));
    if (rest[0] === "resume") return Response.json(await called.resume(rest[1]));
    if (rest[0] === "kept") return Response.json(await called.kept());
    const target = new URL(`/${rest.join("/")}${search}`, request.url);
    return called.fetch(new Request(target, request));
  },
};
