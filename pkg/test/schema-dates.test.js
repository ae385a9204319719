// What a library's schema makes of a value has to be JSON, as every state is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { handler } from "stepweave/http";
import { z } from "zod";

const MESSAGE = "the input of the workflow does not fit its schema: the schema makes what JSON cannot hold: `when` is a Date";
const dated = () => new Workflow({ name: "i", input: z.object({ when: z.coerce.date() }), steps: [{ name: "x", run: () => ({}) }] });

test("a schema that makes dates is said to be what is wrong", async () => {
  const { error } = await dated().run({ state: { when: "2030-01-01" } });
  assert.deepEqual([error.code, error.message], ["handler", MESSAGE]);
  assert.match(error.hint, /^have it give text, .*as z\.iso\.datetime\(\) or z\.string\(\) do for z\.date\(\)/);
  const step = new Workflow({ name: "w", steps: [{ name: "x", output: z.object({ all: z.array(z.string()).transform((list) => new Set(list)) }), run: () => ({ all: ["a"] }) }] });
  assert.match((await step.run()).error.message, /the schema makes what JSON cannot hold: `all` is a Set$/);
});

test("what the hint says works", async () => {
  const workflow = new Workflow({ name: "i", input: z.object({ when: z.iso.datetime(), then: z.coerce.date().transform((date) => date.toISOString()) }), steps: [{ name: "x", run: ({ when }) => ({ year: new Date(when).getUTCFullYear() }) }] });
  const { state } = await workflow.run({ state: { when: "2030-01-01T00:00:00Z", then: "2031-01-01" } });
  assert.deepEqual([state.year, state.then], [2030, "2031-01-01T00:00:00.000Z"]);
});

test("served, it is the server's fault", async () => {
  const errors = [];
  const fetch = handler(dated(), { public: true, onError: ({ message }) => void errors.push(message) });
  const response = await fetch(new Request("https://x.example/runs", { method: "POST", body: '{"when":"2030-01-01"}' }));
  assert.deepEqual([response.status, errors], [500, [MESSAGE]]);
});
