// Whatever runs tell, in whichever order: the chunks make a message that a strict reader can follow.
// How the AI SDK itself reads them is in tests/vendors/ui.test.mjs.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import fc from "fast-check";
import { Agent, customModel, Workflow } from "stepweave";
import { scriptedModel } from "stepweave/testing";
import { toUIMessageStream } from "stepweave/ui";

const TYPES = ["step.start", "step.delta", "step.reasoning", "step.reset", "tool.start", "tool.done", "tool.error", "step.done", "step.error", "step.suspended", "step.skipped", "run.warning"];
const ENDS = ["run.done", "run.error", "run.budget", "run.cancelled", "run.suspended", undefined, "throw"];

const emission = fc.record({ type: fc.constantFrom(...TYPES), at: fc.integer({ min: 0, max: 3 }), call: fc.integer({ min: 0, max: 2 }), text: fc.constantFrom("", "a", "bc"), replayed: fc.boolean() });

function event({ type, at, call, text, replayed }) {
  const step = { id: `s${at}`, key: `s${at}`, path: `steps[${at}]`, name: `step ${at}` };
  const error = new Error("no");
  return { type, seq: 5, at: 0, step, text, callId: `c${call}`, tool: "t", input: {}, output: text, error, attempt: 1, attempts: 1, durationMs: 0, reason: "x", code: "x", message: "x", ...(replayed && { replayed }) };
}

async function* run(events, end) {
  yield { type: "run.start", runId: "r", workflow: "w" };
  for (const one of events) yield event(one);
  if (end === "throw") throw new Error("the engine failed");
  const tool = { key: "s0/c9", step: event(emission).step, tool: { name: "t", input: {} } };
  if (end !== undefined) yield { type: end, result: { status: end.slice(4), usage: { inputTokens: 0, outputTokens: 0 }, errors: [new Error("no")], pending: [tool] } };
}

/** Reads as the strictest of readers: what is not open cannot grow or end, and what was opened ends. */
async function follow(stream) {
  const open = new Map();
  const calls = new Set();
  let steps = 0;
  let isOver = false;
  let starts = 0;
  const texts = new Map();
  const kinds = new Set();
  for await (const { type, id, delta, toolCallId } of stream) {
    assert.ok(!isOver, `${type} behind the end`);
    const [, kind, what] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
    if (what === "start") {
      assert.ok(steps > 0 && !texts.has(id), `${type} ${id}`);
      open.set(id, kind);
      texts.set(id, "");
    } else if (kind !== undefined) assert.equal(open.get(id), kind, `${type} ${id}`);
    if (what === "delta") {
      assert.notEqual(delta, "");
      texts.set(id, texts.get(id) + delta);
    }
    if (what === "end") open.delete(id);
    kinds.add(type);
    if (type === "start-step") steps += 1;
    if (type === "finish-step") {
      steps -= 1;
      assert.ok(steps >= 0);
      assert.equal(open.size, 0, "older readers forget open texts here");
    }
    if (type === "tool-input-available") {
      assert.ok(!calls.has(toolCallId));
      calls.add(toolCallId);
    }
    if (toolCallId !== undefined) assert.ok(calls.has(toolCallId), `${type} of an unknown call`);
    if (type === "start") starts += 1;
    isOver ||= type === "finish" || type === "abort";
  }
  assert.deepEqual([isOver, starts, steps, open.size], [true, 1, 0, 0]);
  return kinds;
}

/** What version 5 of the AI SDK knows; it gives a message up at the first other chunk. */
const KNOWN_TO_ALL = [
  "start", "start-step", "finish-step", "text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end",
  "tool-input-available", "tool-output-available", "tool-output-error", "data-step", "data-approval", "message-metadata", "error", "abort", "finish",
];

test("the chunks of any events make a whole message, of chunks that every version knows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(emission, { maxLength: 40 }), fc.constantFrom(...ENDS), fc.constantFrom("tool", "data"), async (events, end, approvals) => {
      const kinds = await follow(toUIMessageStream(run(events, end), { approvals }));
      const known = approvals === "data" ? KNOWN_TO_ALL : [...KNOWN_TO_ALL, "tool-approval-request"];
      assert.deepEqual([...kinds].filter((kind) => !known.includes(kind)), []);
    }),
    { numRuns: 2000 },
  );
});

test("a message that goes on has no text of what was emitted before", async () => {
  const earlier = { id: "m", role: "assistant", parts: [{ type: "tool-t", toolCallId: "s0/tool1.0", state: "approval-responded", input: {}, approval: { id: "s0/tool1.0", approved: true } }] };
  const events = [
    { type: "step.delta", at: 0, call: 0, text: "bc", replayed: true },
    { type: "tool.start", at: 0, call: 0, text: "", replayed: false },
    { type: "tool.done", at: 0, call: 0, text: "a", replayed: false },
    { type: "step.delta", at: 0, call: 0, text: "a", replayed: false },
  ];
  const chunks = [];
  for await (const chunk of toUIMessageStream(run(events, "run.done"), { continues: earlier })) chunks.push(chunk);
  assert.deepEqual(chunks.map(({ type, id, messageId, toolCallId }) => [type, messageId ?? toolCallId ?? id]), [
    ["start", "m"],
    ["tool-output-available", "s0/tool1.0"],
    ["start-step", undefined],
    ["text-start", "s0.0-5.2"],
    ["text-delta", "s0.0-5.2"],
    ["text-end", "s0.0-5.2"],
    ["finish-step", undefined],
    ["finish", undefined],
  ]);
});

/** What the console is told while this acts, as texts. */
async function consoleWhile(act) {
  const said = [];
  const spy = mock.method(console, "error", (...words) => void said.push(words.map((word) => word?.message ?? word).join(" ")));
  try {
    await act();
  } finally {
    spy.mock.restore();
  }
  return said;
}

test("options that throw end no message, and the console has why", async () => {
  const throws = (what) => () => {
    throw new Error(`${what} is broken`);
  };
  const agent = new Agent({ name: "a", model: customModel("m", () => "words") });
  const workflow = new Workflow({ name: "w", steps: [{ name: "say", agent, inputFrom: "x" }, { name: "fail", run: throws("the step") }] });
  const finished = [];
  const chunks = [];
  const said = await consoleWhile(async () => {
    const stream = toUIMessageStream(workflow.start({ journal: true }), { shows: throws("shows"), errorText: throws("errorText"), onFinish: ({ status }) => void finished.push(status) });
    for await (const chunk of stream) chunks.push(chunk);
  });
  assert.deepEqual(finished, ["error"]);
  assert.deepEqual([chunks.at(-1).type, chunks.find(({ type }) => type === "error").errorText], ["finish", "the workflow failed"]);
  assert.ok(!chunks.some(({ type }) => type.startsWith("text-")), "what `shows` says nothing of is not shown");
  assert.deepEqual(said, ["stepweave: the option `shows` of a message stream threw: shows is broken", "stepweave: the option `errorText` of a message stream threw: errorText is broken"]);
});

test("a `shows` or an `errorText` that answers later shows nothing, whatever it says then", async (t) => {
  const said = [];
  t.mock.method(console, "error", (text, thrown) => said.push(`${text} ${thrown.message}`));
  const failing = new Workflow({ name: "w", steps: [{ name: "say", agent: new Agent({ name: "a", model: scriptedModel(["a private word", "a private word"]) }) }, { name: "fail", run: () => { throw new Error("inner"); } }] });
  for (const later of [async () => false, async () => { throw new Error("late"); }]) {
    const chunks = [];
    for await (const chunk of toUIMessageStream(failing.start(), { shows: later, errorText: later })) chunks.push(chunk);
    assert.ok(!JSON.stringify(chunks).includes("a private word"));
    assert.equal(typeof chunks.find(({ type }) => type === "error").errorText, "string");
  }
  assert.equal(said.length, 4);
  assert.match(said[0], /the option `shows` .* gave a promise$/);
});

test("an `onFinish` that throws is the message's error, and the console has why", async () => {
  const workflow = new Workflow({ name: "w", steps: [] });
  const chunks = [];
  const said = await consoleWhile(async () => {
    const stream = toUIMessageStream(workflow.start(), { onFinish: async () => Promise.reject(new Error("no room")), errorText: () => { throw new Error("none"); } });
    for await (const chunk of stream) chunks.push(chunk);
  });
  assert.deepEqual(chunks.slice(-2).map(({ type, errorText }) => [type, errorText]), [["error", "the workflow failed"], ["finish", undefined]]);
  assert.deepEqual(said, ["stepweave: the option `onFinish` of a message stream threw: no room", "stepweave: the option `errorText` of a message stream threw: none"]);
});

test("an error whose text is none has its public text, so that readers take the message, and the id of a message is a text", async () => {
  const failing = new Workflow({ name: "w", steps: [{ name: "s", run: () => { throw new Error("inner words"); } }] });
  for (const errorText of [() => 5, () => undefined, async () => "later"]) {
    const chunks = [];
    for await (const chunk of toUIMessageStream(failing.start(), { errorText })) chunks.push(chunk);
    assert.deepEqual(chunks.find(({ type }) => type === "error"), { type: "error", errorText: "the workflow failed" });
  }
  assert.throws(() => toUIMessageStream(failing.start(), { messageId: 5 }), { code: "validation", message: "the option `messageId` of toUIMessageStream() is 5" });
});
