// Chats: messages of useChat to conversations and back, and a transport without a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Agent, tool, Workflow } from "stepweave";
import { memoryBytes, readFiles } from "stepweave/files";
import { scriptedModel } from "stepweave/testing";
import { chatTransport, conversationOf, toUIMessages, toUIMessageStream } from "stepweave/ui";

const said = (id, text) => ({ id, role: "user", parts: [{ type: "text", text }] });

test("the messages of a chat are a conversation, without what was only shown", () => {
  const messages = [
    { id: "1", role: "user", parts: [{ type: "text", text: "See" }, { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=", filename: "a.png" }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        { type: "data-step", data: {} },
        { type: "step-start" },
        { type: "text", text: "dropped", providerMetadata: { stepweave: { answer: "a", dropped: true } } },
        { type: "reasoning", text: "Hm." },
        { type: "tool-look", toolCallId: "c1", state: "output-available", input: { x: 1 }, output: [1] },
        { type: "dynamic-tool", toolName: "read", toolCallId: "c2", state: "output-error", input: {}, errorText: "gone" },
        { type: "tool-pay", toolCallId: "c3", state: "output-denied", input: {}, approval: { id: "c3", approved: false, reason: "too much" } },
        { type: "tool-pay", toolCallId: "c4", state: "approval-requested", input: {} },
        { type: "step-start" },
        { type: "text", text: "Done." },
        { type: "source-url", sourceId: "s", url: "https://example.com" },
      ],
    },
    said("3", "Thanks"),
  ];
  assert.deepEqual(conversationOf(messages), [
    { role: "user", content: [{ type: "text", text: "See" }, { type: "image", url: "data:image/png;base64,iVBORw0KGgo=", mediaType: "image/png", name: "a.png" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "toolCall", id: "c1", name: "look", input: { x: 1 } },
        { type: "toolCall", id: "c2", name: "read", input: {} },
        { type: "toolCall", id: "c3", name: "pay", input: {} },
      ],
    },
    {
      role: "tool",
      results: [
        { id: "c1", name: "look", output: [1] },
        { id: "c2", name: "read", output: "gone", isError: true },
        { id: "c3", name: "pay", output: "too much", isError: true },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: "Thanks" },
  ]);
});

test("what is no chat is refused, also instructions that a chat's user brings along", () => {
  for (const [messages, message] of [
    [undefined, "the messages of a chat are missing, not a list"],
    [[{ id: "1", role: "system", parts: [] }], 'a message of a chat has the role "system"'],
    [[{ id: "1", role: "user" }], "a message of a chat has no list of `parts`: that is missing"],
    [[null], "a message of a chat has no list of `parts`: that is missing"],
  ]) {
    assert.throws(() => conversationOf(messages), { code: "validation", message });
  }
  assert.throws(() => toUIMessages("Hi"), { code: "validation", message: "the conversation of toUIMessages() is a string, not a list" });
  assert.throws(() => toUIMessages([{ role: "system", content: "Obey" }]), { code: "validation", message: 'message 1 has the role "system"' });
  assert.throws(() => chatTransport({}), { code: "validation", message: "chatTransport() needs an agent, a workflow or a function, and was given an object" });
});

test("a conversation becomes messages of a chat, and these the same conversation again", async () => {
  const text = fc.string({ minLength: 1 });
  const call = fc.record({ id: fc.uuid(), name: fc.constantFrom("look", "pay"), input: fc.dictionary(fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"), fc.integer(), { noNullPrototype: true }), output: fc.oneof(fc.integer(), text), isError: fc.boolean() });
  const answer = fc.record({ reasoning: fc.option(text), text: fc.option(text), calls: fc.uniqueArray(call, { selector: ({ id }) => id, maxLength: 2 }) }).map(({ reasoning, text, calls }) => {
    const content = [...(reasoning === null ? [] : [{ type: "reasoning", text: reasoning }]), ...(text === null ? [] : [{ type: "text", text }]), ...calls.map(({ id, name, input }) => ({ type: "toolCall", id, name, input }))];
    const results = calls.map(({ id, name, output, isError }) => (isError ? { id, name, output: String(output), isError } : { id, name, output }));
    return [...(content.length > 0 ? [{ role: "assistant", content }] : []), ...(results.length > 0 ? [{ role: "tool", results }] : [])];
  });
  const turn = fc.tuple(text, fc.array(answer, { maxLength: 3 })).map(([content, answers]) => [{ role: "user", content }, ...answers.flat()]);
  await fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }).map((turns) => turns.flat()), (conversation) => {
      const messages = toUIMessages(conversation);
      assert.deepEqual(conversationOf(messages), conversation);
      assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length);
    }),
  );
});

test("a file whose bytes are in a store is shown from where the page gets it", async () => {
  const bytes = memoryBytes();
  const files = await readFiles([new File([Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])], "bee.png")], { store: bytes });
  const agent = new Agent({ name: "eye", model: scriptedModel(["A bee."]) });
  const workflow = new Workflow({ name: "look", steps: [{ name: "look", agent, inputFrom: "What is it?", files: "files", history: { key: "messages" } }] });
  const { state } = await workflow.run({ state: { files }, files: bytes });
  assert.throws(() => toUIMessages(state.messages), {
    code: "validation",
    message: "the bytes of a file of message 1 are in a store, and the page cannot get them there",
    hint: "pass `fileUrl`, which says at which address your server gives the file of a digest",
  });
  const [{ parts }] = toUIMessages(state.messages, { fileUrl: (digest) => `/files/${digest}` });
  assert.deepEqual(parts[1], { type: "file", mediaType: "image/png", url: `/files/${files[0].digest}`, filename: "bee.png" });
  assert.throws(() => toUIMessages(state.messages, { fileUrl: "/files" }), { code: "validation", message: "`fileUrl` of toUIMessages() is a string, not a function" });
  assert.throws(() => toUIMessages(state.messages, { fileUrl: async () => "/file" }), { code: "validation", message: "`fileUrl` of toUIMessages() returned an object for a file of message 1" });
});

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
const textOf = (chunks) => chunks.flatMap(({ type, delta }) => (type === "text-delta" ? [delta] : [])).join("");

test("a chat is answered by an agent, a workflow or a function, without a server", async () => {
  const model = scriptedModel(["Oslo.", "Yes.", "Sure.", "Bergen."]);
  const agent = new Agent({ name: "guide", model });
  const chat = [said("1", "Where?"), { id: "2", role: "assistant", parts: [{ type: "step-start" }, { type: "text", text: "Oslo." }] }, said("3", "Sure?")];
  const byAgent = chatTransport(agent);
  assert.equal(textOf(await read(await byAgent.sendMessages({ chatId: "c", messages: chat.slice(0, 1) }))), "Oslo.");
  assert.equal(textOf(await read(await byAgent.sendMessages({ chatId: "c", messages: chat }))), "Yes.");
  const workflow = new Workflow({ name: "chat", steps: [{ name: "answer", agent, inputFrom: "{{ input }}", history: { key: "messages" } }] });
  const results = [];
  assert.equal(textOf(await read(await chatTransport(workflow, { onFinish: (result) => void results.push(result) }).sendMessages({ chatId: "c", messages: chat }))), "Sure.");
  assert.deepEqual(results[0].state.messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
  const own = chatTransport(({ conversation, options }) => agent.start(conversation.slice(-1), options));
  assert.equal(textOf(await read(await own.sendMessages({ chatId: "c", messages: chat }))), "Bergen.");
  assert.deepEqual(model.requests.map(({ messages }) => messages.length), [1, 3, 3, 1]);
  assert.equal(await byAgent.reconnectToStream({ chatId: "c" }), null);
});

test("a call that a person has to allow is resumed by the chat's next messages", async () => {
  const pay = tool({ name: "pay", needsApproval: true, execute: ({ sum }) => `paid ${sum}` });
  const model = scriptedModel([[{ type: "toolCall", id: "c1", name: "pay", input: { sum: 5 } }], "It is paid."]);
  const transport = chatTransport(new Agent({ name: "clerk", model, tools: [pay] }));
  const first = await read(await transport.sendMessages({ chatId: "c", messages: [said("1", "Pay 5")] }));
  const { approvalId } = first.find(({ type }) => type === "tool-approval-request");
  const part = { type: "tool-pay", toolCallId: approvalId, state: "approval-responded", input: { sum: 5 }, approval: { id: approvalId, approved: true } };
  const second = await read(await transport.sendMessages({ chatId: "c", messages: [said("1", "Pay 5"), { id: "2", role: "assistant", parts: [{ type: "step-start" }, part] }] }));
  assert.equal(second.find(({ type }) => type === "tool-output-available").output, "paid 5");
  assert.equal(textOf(second), "It is paid.");
  model.done();
});

test("a chat that a person has answered goes on where its run failed or was stopped", async () => {
  let paid = 0;
  const pay = tool({ name: "pay", needsApproval: true, execute: () => `paid ${++paid}` });
  const call = { type: "toolCall", name: "pay", input: { sum: 5 } };
  for (const [turns, signal, expected] of [
    [[call, new Error("busy"), "It is paid."], undefined, "error"],
    [[call, "It is paid."], AbortSignal.abort("stop"), "abort"],
  ]) {
    paid = 0;
    const model = scriptedModel(turns);
    const transport = chatTransport(new Agent({ name: "clerk", model, tools: [pay] }));
    const first = await read(await transport.sendMessages({ chatId: "c", messages: [said("1", "Pay 5")] }));
    const { approvalId } = first.find(({ type }) => type === "tool-approval-request");
    const part = { type: "tool-pay", toolCallId: approvalId, state: "approval-responded", input: { sum: 5 }, approval: { id: approvalId, approved: true } };
    const messages = [said("1", "Pay 5"), { id: "2", role: "assistant", parts: [{ type: "step-start" }, part] }];
    const stopped = await read(await transport.sendMessages({ chatId: "c", messages, abortSignal: signal }));
    assert.ok(stopped.some(({ type }) => type === expected));
    assert.equal(textOf(await read(await transport.sendMessages({ chatId: "c", messages }))), "It is paid.");
    assert.equal(paid, 1);
    model.done();
    // The next question of the user begins a run of its own.
    const next = await read(await transport.sendMessages({ chatId: "c", messages: [said("3", "And?")] }));
    assert.equal(next.at(-1).finishReason, "error");
  }
});

test("a message ends when its result is stored; what cannot be stored is its error", async () => {
  const order = [];
  const agent = new Agent({ name: "guide", model: scriptedModel(["One.", "Two."]) });
  const slow = async ({ status }) => {
    await new Promise((done) => setTimeout(done, 5));
    order.push(`stored ${status}`);
  };
  for await (const { type } of toUIMessageStream(agent.start("Hi"), { onFinish: slow })) order.push(type);
  assert.deepEqual(order.slice(-2), ["stored done", "finish"]);
  const failing = await read(toUIMessageStream(agent.start("Hi"), { onFinish: () => { throw new Error("the disk is full"); }, errorText: ({ message }) => message }));
  assert.deepEqual(failing.slice(-2).map(({ type, errorText }) => errorText ?? type), ["the disk is full", "finish"]);
});
