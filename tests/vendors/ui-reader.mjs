// Reads a chat's endpoint as `useChat` does, with the version of the AI SDK that is named, and prints what it made of it.
// node ui-reader.mjs <package> <address> [the message that goes on, as JSON]
const [name, api, earlier] = process.argv.slice(2);
const { DefaultChatTransport, readUIMessageStream } = await import(name);

const message = earlier === undefined ? undefined : JSON.parse(earlier);
const question = { id: "u", role: "user", parts: [{ type: "text", text: "Hi" }] };
const errors = [];
let last = message;
try {
  const stream = await new DefaultChatTransport({ api }).sendMessages({ chatId: "c", trigger: "submit-message", messages: [question] });
  for await (last of readUIMessageStream({ stream, message, onError: (error) => errors.push(String(error.message)) }));
} catch (error) {
  errors.push(String(error.message));
}
console.log(JSON.stringify({ message: last, errors, node: process.versions.node }));
