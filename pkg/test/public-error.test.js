// What callers of a served workflow are told: nothing of where a model is, and of what it or a function said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openai, publicError, StepweaveError, Workflow } from "../dist/entry-inline.js";
import { toUIMessageStream } from "../dist/ui.js";

const step = { id: "s1", path: "steps[0]", name: "ask", key: "s1" };
const SECRET = "http://10.0.0.7:8080 said: db.internal is down";

test("gives the code and the step, and words of its own", () => {
  for (const code of ["handler", "tool", "model", "auth", "rate_limit", "network", "timeout", "limit", "budget", "cancelled", "conflict", "document", "internal"]) {
    const shown = publicError(new StepweaveError(code, SECRET, { step, hint: SECRET, cause: new Error(SECRET), problems: [{ path: SECRET }] }));
    assert.deepEqual([shown.code, shown.step], [code, step]);
    assert.ok(shown.message.length > 0);
    assert.doesNotMatch(JSON.stringify(shown), /10\.0\.0\.7|internal is down/);
  }
});

test("shows what helps callers to mend their state", () => {
  for (const code of ["validation", "template"]) {
    const error = new StepweaveError(code, "there is no `text` in the state", { step, hint: "send one", cause: new Error(SECRET) });
    assert.deepEqual(publicError(error), { code, message: "there is no `text` in the state", hint: "send one", step });
  }
});

test("says nothing of what is no error of the package", () => {
  for (const thrown of [new TypeError(SECRET), SECRET, undefined, null, { code: "model", message: SECRET }]) {
    assert.deepEqual(publicError(thrown), { code: "internal", message: "the workflow failed" });
  }
});

test("a chat is told no more of a failing model or tool, unless the program says so", async () => {
  const agent = new Agent({ name: "a", model: openai("m", { baseUrl: "http://127.0.0.1:9/v1" }) });
  const steps = [
    { name: "ask", agent, inputFrom: "Hi", required: false },
    { name: "read", run: () => Promise.reject(new Error(SECRET)) },
  ];
  const told = async (options) => {
    let text = "";
    for await (const chunk of toUIMessageStream(new Workflow({ name: "t", steps }).start(), options)) text += JSON.stringify(chunk);
    return text;
  };
  assert.doesNotMatch(await told(), /127\.0\.0\.1|10\.0\.0\.7|internal is down/);
  assert.match(await told({ errorText: ({ message }) => message }), /127\.0\.0\.1.*internal is down/s);
});
