import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openai, Workflow } from "stepweave";
import { END, eventsOf, piece } from "./support.js";

const ORIGIN = "https://api.example";

/** An endpoint that lets in whoever has this value; it answers a model's requests and others. */
function endpoint(valid) {
  const received = [];
  const fetch = async (url, { headers }) => {
    const { pathname, searchParams } = new URL(url);
    const basic = headers.authorization?.startsWith("Basic ") ? atob(headers.authorization.slice(6)).split(":")[1] : undefined;
    const value = searchParams.get("key") ?? headers["x-key"] ?? basic ?? headers.authorization?.slice(7);
    received.push(value);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (value !== valid) return new Response(`${value} is over`, { status: 401 });
    return pathname.endsWith("/chat/completions") ? new Response([piece("ok"), END].join(""), { headers: { "content-type": "text/event-stream" } }) : Response.json("ok");
  };
  return { fetch, received };
}

/** A secret whose value is over, and what gives others. */
function secret(...others) {
  let renewed = 0;
  const renew = async () => {
    const next = others[renewed];
    renewed += 1;
    if (next === undefined) throw new Error("nothing new is to be had");
    return next;
  };
  return { secrets: { KEY: { value: "a-key-that-is-over", origins: [ORIGIN], renew } }, renewals: () => renewed };
}

const request = (auth, name = "one") => ({ name, http: { url: `${ORIGIN}/x`, method: "POST", body: { json: {} }, auth } });
const key = { secret: "KEY" };
const model = () => ({ name: "one", agent: new Agent({ name: "a", model: openai("m", { baseUrl: `${ORIGIN}/v1`, apiKey: key }) }), inputFrom: "Hi" });
const USES = {
  bearer: () => request({ bearer: key }),
  header: () => request({ header: { name: "X-Key", value: key } }),
  basic: () => request({ basic: { user: "u", password: key } }),
  query: () => request({ query: { name: "key", value: key } }),
  model,
};

for (const [use, step] of Object.entries(USES)) {
  for (const spelling of ["in code", "as a document"]) {
    test(`a key that was refused is renewed once and sent again: ${use}, ${spelling}`, async () => {
      const written = new Workflow({ name: "w", steps: [step()] });
      const workflow = spelling === "in code" ? written : Workflow.fromDocument(JSON.stringify(written.toDocument()));
      const { fetch, received } = endpoint("a-key-of-now");
      const { secrets, renewals } = secret("a-key-of-now");
      const run = workflow.start({ fetch, secrets, journal: true, allowOrigins: [ORIGIN] });
      const result = await run.result;
      assert.deepEqual([result.status, received, renewals()], ["done", ["a-key-that-is-over", "a-key-of-now"], 1], result.error?.message);
      const shown = JSON.stringify([result, await eventsOf(run)]);
      assert.ok(!shown.includes("a-key-that-is-over") && !shown.includes("a-key-of-now"));
    });

    test(`a key without another one, or whose next one is refused too, fails as before: ${use}, ${spelling}`, async () => {
      const written = new Workflow({ name: "w", steps: [step()] });
      const workflow = spelling === "in code" ? written : Workflow.fromDocument(JSON.stringify(written.toDocument()));
      for (const [others, expected] of [[[], 1], [["a-key-of-others"], 2], [["a-key-that-is-over"], 1]]) {
        const { fetch, received } = endpoint("a-key-of-now");
        const { secrets, renewals } = secret(...others);
        const { errors } = await workflow.run({ fetch, secrets, allowOrigins: [ORIGIN] });
        assert.deepEqual([errors[0].code, received.length, renewals()], ["auth", expected, 1], errors[0].message);
        assert.ok(!/a-key/.test(JSON.stringify(errors)), errors[0].message);
        const failed = "the secret KEY was refused with 401, and its `renew` failed: nothing new is to be had";
        if (others.length === 0) assert.deepEqual([errors[0].message, errors[0].cause.message], [failed, "nothing new is to be had"]);
      }
    });
  }
}

test("what `renew` gives has to be a key", async () => {
  const { fetch } = endpoint("a-key-of-now");
  const secrets = { KEY: { value: "a-key-that-is-over", origins: [ORIGIN], renew: async () => undefined } };
  const { error } = await new Workflow({ name: "w", steps: [request({ bearer: key })] }).run({ fetch, secrets });
  assert.deepEqual([error.code, error.message], ["auth", "the secret KEY was refused with 401, and its `renew` failed: the secret KEY has no value"]);
});

test("steps that are refused together renew a key once", async () => {
  const { fetch, received } = endpoint("a-key-of-now");
  const { secrets, renewals } = secret("a-key-of-now");
  const lanes = ["one", "two", "three"].map((name) => request({ bearer: key }, name));
  const { status } = await new Workflow({ name: "w", steps: [{ name: "all", parallel: lanes }, request({ bearer: key }, "after")] }).run({ fetch, secrets });
  assert.deepEqual([status, received.length, renewals()], ["done", 7, 1]);
  assert.equal(received.at(-1), "a-key-of-now");
});

test("a run that is cancelled while a key is renewed sends nothing more", async () => {
  for (const step of [request({ bearer: key }), model()]) {
    const { fetch, received } = endpoint("a-key-of-now");
    const controller = new AbortController();
    const renew = async () => {
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 10));
      return "a-key-of-now";
    };
    const { status } = await new Workflow({ name: "w", steps: [step] }).run({ fetch, signal: controller.signal, secrets: { KEY: { value: "a-key-that-is-over", origins: [ORIGIN], renew } } });
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.deepEqual([status, received.length], ["cancelled", 1]);
  }
});
