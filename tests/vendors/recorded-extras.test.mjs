// What recorded answers of real endpoints have beside their text is on the results of the runs that read them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ABSENT, recordings } from "../wire/recordings.mjs";
import { installed } from "./installed.mjs";

const found = recordings();
const skip = found === undefined && ABSENT;

let stepweave;
let home;
before(async () => {
  home = await installed();
  stepweave = home.stepweave;
});
after(() => home.remove());

/** The model whose answer a recording is. */
function modelOf({ format, host }) {
  const { anthropic, gemini, openai, openaiResponses, openrouter } = stepweave;
  const settings = { baseUrl: "https://model.test/v1", apiKey: { secret: "KEY" } };
  const make = { chat: host === "openrouter.ai" ? openrouter : openai, gemini, messages: anthropic, responses: openaiResponses }[format];
  return make("m", settings);
}

/** A run of an agent whose endpoint answers with the recording, in pieces. */
function answered(recording, options = {}) {
  const agent = new stepweave.Agent({ name: "a", model: modelOf(recording) });
  const fetch = async () => new Response(new Blob([recording.bytes]).stream(), { headers: { "content-type": "text/event-stream" } });
  return agent.run("Hi", { secrets: { KEY: { value: "sk-1", origins: ["https://model.test"] } }, fetch, ...options });
}

/** Everything that the events of an answer hold under a key, however deep, outside of texts. */
function* under(value, key) {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === key) yield inner;
    yield* under(inner, key);
  }
}

const eventsOf = ({ bytes }) =>
  bytes.toString().split("\n").filter((line) => line.startsWith("data:") && line.trim() !== "data: [DONE]").map((line) => JSON.parse(line.slice(5)));

/** Where each format tells its sources: the addresses there. */
const SOURCES = {
  chat: (events) => [...under(events, "url_citation")].map(({ url }) => url),
  responses: (events) => [...under(events, "annotation"), ...[...under(events, "annotations")].flat()].map(({ url }) => url),
  messages: (events) => [...under(events, "citation"), ...[...under(events, "content_block")].filter(({ type }) => type === "web_search_tool_result").flatMap(({ content }) => content)].map(({ url }) => url),
  gemini: (events) => [...under(events, "groundingChunks")].flat().flatMap((chunk) => Object.values(chunk)).map(({ uri }) => uri),
};

test("the sources of an answer are those that its endpoint tells", { skip }, async () => {
  const seen = {};
  for (const recording of found) {
    const { format, name } = recording;
    const wanted = new Set(SOURCES[format](eventsOf(recording)).filter((url) => url !== undefined));
    const { status, sources = [], stepResults } = await answered(recording);
    if (status !== "done") continue;
    assert.deepEqual(new Set(sources.flatMap(({ url }) => url ?? [])), wanted, name);
    assert.deepEqual(stepResults[0].sources ?? [], sources, name);
    if (sources.length > 0) (seen[format] ??= []).push(name);
  }
  // OpenRouter's annotations, OpenAI's, Anthropic's citations and results of searches, Gemini's grounding.
  assert.deepEqual(Object.keys(seen).sort(), ["chat", "gemini", "messages", "responses"]);
  assert.ok(Object.values(seen).flat().length >= 9, JSON.stringify(seen));
});

test("an answer has the id that its endpoint gives it, and a replay says the same", { skip }, async () => {
  const ids = { chat: ([{ id }]) => id, responses: (events) => [...under(events, "response")][0]?.id, messages: (events) => [...under(events, "message")][0].id, gemini: (events) => [...under(events, "responseId")][0] };
  let count = 0;
  for (const recording of found) {
    const first = await answered(recording, { journal: true });
    if (first.status !== "done") continue;
    const wanted = ids[recording.format](eventsOf(recording).filter((event) => Object.keys(event).length > 0));
    assert.equal(first.responseId, wanted, recording.name);
    const again = await answered(recording, { journal: first.journal, replay: "strict", fetch: () => assert.fail("called again") });
    const beside = ({ responseId, sources, files }) => ({ responseId, sources, files });
    assert.deepEqual(beside(again), beside(first), recording.name);
    count += 1;
  }
  assert.ok(count >= 40, `${count} answers`);
});

test("an image that a model's program drew is a file of its answer", { skip }, async () => {
  const recording = found.find(({ name }) => name.startsWith("test_openai_responses_code_execution_return_image_stream"));
  const drawn = [...new Set([...under(eventsOf(recording), "outputs")].flat().filter((output) => output?.type === "image").map(({ url }) => url))];
  const { files } = await answered(recording);
  assert.deepEqual(files.map(({ type, mediaType, data }) => [type, `data:${mediaType};base64,${data}`]), drawn.map((url) => ["image", url]));
  const small = await answered(recording, { limits: { maxResultBytes: 1000 } });
  assert.deepEqual([small.status, small.errors[0].code, small.files], ["error", "limit", undefined]);
});
