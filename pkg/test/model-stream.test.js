// What a model's function gives, as the engine reads it: each part an event, each wrong part a failure that names it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal, rejection } from "./support.js";

const { ModelStream } = await internal("run/model-stream.ts");

const REQUEST = JSON.stringify({ model: "parrot", messages: [], params: {} });

function context() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

const opened = (model, given = context()) => ModelStream.open(model, REQUEST, given, given.abort);

async function partsOf(stream) {
  const decoder = new TextDecoder();
  const parts = [];
  for (let bytes = await stream.read(); bytes !== undefined; bytes = await stream.read()) {
    const text = decoder.decode(bytes);
    assert.match(text, /^data: .*\n\n$/s);
    parts.push(JSON.parse(text.slice(6)));
  }
  return parts;
}

const answered = async (model) => partsOf(await opened(model));
const failing = async (model) => rejection(answered(model));
const STOP = { type: "finish", reason: "stop" };
const text = (text) => ({ type: "text", text });

async function* later(...parts) {
  for (const part of parts) {
    await undefined;
    yield part;
  }
}

test("a text, a list, a generator, a stream and a promise of them are answers", async () => {
  const expected = [text("Hello"), STOP];
  for (const give of [
    () => "Hello",
    async () => "Hello",
    () => ["Hello"],
    () => [text("Hello")],
    function* () {
      yield text("Hello");
    },
    () => later("Hello"),
    async () => later(text("Hello")),
    () => ReadableStream.from(["Hello"]),
    () => new Set([text("Hello")]),
  ]) {
    assert.deepEqual(await answered(give), expected, String(give));
  }
  assert.deepEqual(await answered(() => ""), [STOP]);
  assert.deepEqual(await answered(() => []), [STOP]);
});

test("it is given the request and its context", async () => {
  const given = context();
  let seen;
  await opened((...all) => ((seen = all), "x"), given);
  assert.deepEqual(seen[0], JSON.parse(REQUEST));
  assert.equal(seen[1], given);
});

test("parts keep what belongs to them and nothing else", async () => {
  const parts = [
    { type: "reasoning", text: "hm", x: 1 },
    { type: "echo", value: [{ signature: "s" }, null] },
    { type: "reasoning", text: "" },
    { type: "toolCall", id: "c1", name: "search", input: { q: ["bees", null, 1.5] }, y: () => {} },
    { type: "toolCall", name: "now", input: {} },
    { type: "usage", inputTokens: 3, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 0, z: 1 },
  ];
  const { x: _, ...reasoning } = parts[0];
  const { y: __, ...call } = parts[3];
  const { z: ___, ...usage } = parts[5];
  assert.deepEqual(await answered(() => parts), [reasoning, parts[1], call, parts[4], usage, { type: "finish", reason: "toolCalls" }]);
});

test("an iterator that gives no step of one fails the model, by its name", async () => {
  for (const step of [undefined, null]) {
    const error = await failing(() => ({ [Symbol.asyncIterator]: () => ({ next: async () => step }) }));
    assert.equal(error.code, "model");
    assert.match(error.message, /^the model `parrot` failed: /);
  }
});

test("finish ends the answer, and lets the generator go", async () => {
  let closed = 0;
  const model = function* () {
    try {
      yield "a";
      yield { type: "finish", reason: "refused", text: "I would rather not" };
      yield "b";
    } finally {
      closed += 1;
    }
  };
  const given = context();
  const stream = await opened(model, given);
  assert.deepEqual(await partsOf(stream), [text("a"), { type: "finish", reason: "refused", text: "I would rather not" }]);
  assert.equal(closed, 1);
  stream.close();
  assert.equal(given.signal.aborted, false, "an answer that has ended is not aborted");
});

test("a character that is cut in two is emitted whole", async () => {
  const bee = "🐝";
  assert.deepEqual(await answered(() => [`a${bee[0]}`, bee[1], "b"]), [text("a"), text(bee), text("b"), STOP]);
  assert.deepEqual(await answered(() => [`a${bee[1]}`, bee[0], "b"]), [text("a\ufffd"), text("\ufffdb"), STOP]);
  const call = { type: "toolCall", name: "n", input: { [bee[0]]: `\\ud83d ${bee[1]} ${bee}` } };
  assert.deepEqual((await answered(() => [call]))[0].input, { "\ufffd": `\\ud83d \ufffd ${bee}` });
});

test("what is no answer is refused", async () => {
  for (const [given, shown] of [
    [undefined, "undefined"],
    [null, "null"],
    [42, "42"],
    [{ type: "text", text: "x" }, '{"type":"text","text":"x"}'],
    [() => "x", "a function"],
  ]) {
    const error = await failing(() => given);
    assert.equal(error.code, "model");
    assert.equal(error.message, `the model \`parrot\` gave ${shown}, which is no answer`);
    assert.match(error.hint, /return a text or a list of parts/);
    assert.equal(error.retryable, false);
  }
});

test("a wrong part is named, with what it should be", async () => {
  const circle = {};
  circle.circle = circle;
  for (const [part, what] of [
    [7, "a part is a text or an object with a `type`; it is 7"],
    [null, "a part is a text or an object with a `type`; it is null"],
    [{}, "the `type` of a part is text, reasoning, toolCall, echo, usage, source, image, file, response or finish; it is {}"],
    [{ type: "txt" }, 'the `type` of a part is text, reasoning, toolCall, echo, usage, source, image, file, response or finish; it is {"type":"txt"}'],
    [{ type: "text" }, 'a `text` part needs `text`, a string; it is {"type":"text"}'],
    [{ type: "reasoning", text: 1 }, 'a `reasoning` part needs `text`, a string; it is {"type":"reasoning","text":1}'],
    [{ type: "echo" }, "an `echo` part needs `value`, any JSON; it is"],
    [{ type: "toolCall", input: {} }, "a `toolCall` part needs `name`, the tool's name; it is"],
    [{ type: "toolCall", name: "n" }, "a `toolCall` part needs `input`, an object; {} if the tool takes nothing; it is"],
    [{ type: "toolCall", name: "n", id: 1, input: {} }, "the `id` of a `toolCall` part is a string; it is"],
    [{ type: "toolCall", name: "n", input: { at: new Date(0) } }, "input.at is a Date, which JSON cannot hold; it is"],
    [{ type: "toolCall", name: "n", input: circle }, ", which JSON cannot hold; it is an object that cannot be shown"],
    [{ type: "usage", inputTokens: 1 }, "`outputTokens` of a `usage` part is a whole number from 0 on; it is"],
    [{ type: "usage", inputTokens: -1, outputTokens: 0 }, "`inputTokens` of a `usage` part is a whole number from 0 on; it is"],
    [{ type: "usage", inputTokens: 1, outputTokens: 0, reasoningTokens: NaN }, "`reasoningTokens` of a `usage` part is a whole number"],
    [{ type: "source", url: 1 }, "the `url` of a part of the type `source` is a string; it is"],
    [{ type: "response" }, "a `response` part needs `id`, a string; it is"],
    [{ type: "image", data: "AAAA" }, 'a part of the type `image` needs `mediaType`, such as "image/png"; it is'],
    [{ type: "file", mediaType: "image/png" }, "a part of the type `file` needs either `data`, as base64, or `url`; it is"],
    [{ type: "image", mediaType: "image/png", data: Uint8Array.of(1) }, "the `data` of a part of the type `image` is a string; it is"],
    [{ type: "finish" }, "the `reason` of a `finish` part is one of stop, length, toolCalls, filtered, refused, other; it is"],
    [{ type: "finish", reason: "stop", text: {} }, "the `text` of a `finish` part is a string; it is"],
  ]) {
    let closed = false;
    const given = context();
    const stream = await opened(function* () {
      try {
        yield "fine";
        yield part;
      } finally {
        closed = true;
      }
    }, given);
    await stream.read();
    const error = await rejection(stream.read());
    assert.equal(error.code, "model");
    assert.ok(error.message.startsWith("part 2 of the answer of the model `parrot` cannot be used: "), error.message);
    assert.ok(error.message.includes(what), `${error.message}\nshould say\n${what}`);
    assert.ok(closed, "the generator is let go");
    assert.ok(given.signal.aborted);
    assert.equal(await stream.read(), undefined);
  }
});

test("what it throws is a failure of the model; an error of ours keeps what it says", async () => {
  const thrown = new TypeError("no such weights");
  for (const model of [
    () => {
      throw thrown;
    },
    async () => {
      throw thrown;
    },
    function* () {
      throw thrown;
    },
    async function* () {
      yield "a";
      throw thrown;
    },
    () => ReadableStream.from((function* () { throw thrown; })()),
  ]) {
    const error = await failing(model);
    assert.equal(error.code, "model");
    assert.equal(error.message, "the model `parrot` failed: no such weights");
    assert.equal(error.cause, thrown);
    assert.equal(error.retryable, false);
  }
  assert.equal((await failing(() => Promise.reject(Object.assign(new Error("busy"), { retryable: true })))).retryable, true);
  assert.equal((await failing(() => Promise.reject(undefined))).message, "the model `parrot` failed: undefined");
  const ours = Object.assign(new Error("later"), { name: "StepweaveError", code: "rate_limit", hint: "wait", retryable: true, retryAfterMs: 1500 });
  const { code, message, hint, retryable, retryAfterMs, cause } = await failing(() => Promise.reject(ours));
  assert.deepEqual({ code, message, hint, retryable, retryAfterMs, cause }, { code: "rate_limit", message: "later", hint: "wait", retryable: true, retryAfterMs: 1500, cause: ours });
});

test("giving it up aborts the signal and lets the generator go", async () => {
  let closed = false;
  const given = context();
  const stream = await opened(async function* (_, { signal }) {
    try {
      yield "a";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    } finally {
      closed = true;
    }
  }, given);
  await stream.read();
  const waiting = stream.read();
  stream.close(new Error("enough"));
  assert.equal(await waiting, undefined);
  assert.equal(given.signal.reason.message, "enough");
  await new Promise(setImmediate);
  assert.ok(closed);

  let cancelled;
  const body = new ReadableStream({ pull: () => new Promise(() => {}), cancel: (reason) => void (cancelled = [reason]) });
  const other = await opened(() => body);
  other.close();
  await new Promise(setImmediate);
  assert.ok(cancelled !== undefined, "a stream is cancelled");
});

test("a model is not called when nobody waits any more", async () => {
  const given = context();
  given.abort(new Error("over"));
  let calls = 0;
  await rejection(opened(() => void (calls += 1), given));
  assert.equal(calls, 0);
});

test("a generator that never waits does not keep the thread", async () => {
  const stream = await opened(function* () {
    for (;;) yield "x";
  });
  let turned = false;
  setImmediate(() => (turned = true));
  const until = Date.now() + 5000;
  while (!turned && Date.now() < until) await stream.read();
  assert.ok(turned);
  stream.close();
});
