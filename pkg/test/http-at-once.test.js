// What several requests get that come at the same moment: the same over every store, in one instance and in two.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { memoryStore } from "stepweave/stores";
import { places } from "./stores-places.js";

const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

/** Takes so many turns of the timers. Where the machine stands still meanwhile, stores are as far as they would have been. */
async function slowly(turns, value) {
  for (let turn = 0; turn < turns; turn += 1) await later(1);
  return value;
}

/** A store across a network: each of its functions takes a while, and not always as long. */
function distant(store) {
  let turn = 0;
  const slowed = (name) => async (...given) => (await later((turn += 3) % 7), await store[name](...given));
  return { load: slowed("load"), append: slowed("append"), list: slowed("list"), delete: slowed("delete") };
}

const everywhere = {
  ...places,
  async "distant"() {
    const store = memoryStore();
    return { open: () => distant(store) };
  },
};

async function sent(serve, path, body, headers = {}) {
  const response = await serve(new Request(`https://flow.example${path}`, { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) }));
  const text = await response.text();
  const isStream = response.headers.get("content-type").startsWith("text/event-stream");
  return { http: response.status, retry: response.headers.get("retry-after"), ...(isStream ? { text } : JSON.parse(text)) };
}

/** As many instances over one place, and their errors. */
function instances(count, workflow, open) {
  const errors = [];
  return { errors, serves: Array.from({ length: count }, () => handler(workflow, { public: true, store: open(), onError: (error) => errors.push(error) })) };
}

for (const [name, newPlace] of Object.entries(everywhere)) {
  test(`${name}: the same call at the same moment is one run`, async () => {
    const place = await newPlace();
    let calls = 0;
    const workflow = new Workflow({ name: "served", steps: [{ name: "slow", run: async () => ({ call: await slowly(40, (calls += 1)) }) }] });
    for (const [count, accept] of [[1, "application/json"], [1, "text/event-stream"], [2, "application/json"]]) {
      calls = 0;
      const { serves, errors } = instances(count, workflow, place.open);
      const key = `k-${count}-${accept}`;
      const got = await Promise.all(Array.from({ length: 6 }, (_, index) => sent(serves[index % count], "/runs", undefined, { "idempotency-key": key, accept })));
      assert.equal(calls, 1, "its function is called once");
      for (const { http, retry, runId, status, state, text } of got) {
        if (text !== undefined) assert.match(text, /event: run.start[^]*event: run.done[^]*"call":1/);
        else assert.equal(runId, got[0].runId);
        // Another instance knows that the run goes on.
        assert.deepEqual([http, retry, text === undefined ? [status, state?.call] : undefined], [http, null, text !== undefined ? undefined : http === 200 ? ["done", 1] : ["running", undefined]]);
        if (count === 1) assert.equal(http, 200);
      }
      assert.ok(got.some(({ http }) => http === 200));
      assert.deepEqual(errors, []);
    }
    await place.remove?.();
  });

  test(`${name}: of two approvals that are answered at the same moment one is taken, and the other later`, async () => {
    const place = await newPlace();
    const approval = (name) => ({ name, type: "approval", message: `${name}?` });
    const workflow = new Workflow({ name: "served", steps: [{ name: "both", parallel: [approval("a"), approval("b")] }] });
    for (const count of [1, 2]) {
      const { serves, errors } = instances(count, workflow, place.open);
      const { runId } = await sent(serves[0], "/runs");
      const answer = (key, serve) => sent(serve, `/runs/${runId}/answers`, { [key]: { approved: true } });
      const keys = ["both.a", "both.b"];
      const got = await Promise.all(keys.map((key, index) => answer(key, serves[index % count])));
      const lost = got.findIndex(({ http }) => http === 409);
      assert.deepEqual(got.map(({ http }) => http).sort(), [202, 409]);
      assert.deepEqual([got[lost].retry, got[lost].code], ["3", "conflict"]);
      const then = await answer(keys[lost], serves[0]);
      assert.deepEqual([then.http, then.status, then.state.a_output, then.state.b_output], [200, "done", { approved: true }, { approved: true }]);
      // One that is given twice is taken once, and nobody is told to try again.
      const second = await sent(serves[0], "/runs");
      const twice = await Promise.all([0, 1].map((index) => sent(serves[index % count], `/runs/${second.runId}/answers`, { "both.a": { approved: true } })));
      assert.deepEqual(twice.map(({ http }) => http).sort(), [202, 409]);
      assert.deepEqual(errors, []);
    }
    await place.remove?.();
  });
}
