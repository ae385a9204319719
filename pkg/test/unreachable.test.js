// What a page reports of an endpoint that it could not reach. Real browsers are in tests/pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal } from "./support.js";

const { hintFor, hintWhenForbidden, hintWhenUnreachable } = await internal("effects/unreachable.ts");

const PAGE = "https://page.example";
const RELAY = "a relay of your own can call it in the page's place: write its address as the model's baseUrl";

function hint(provider, url, surroundings) {
  return hintFor({ provider, url }, { page: PAGE, isOnline: true, permission: "granted", isUp: undefined, isReadable: false, ...surroundings });
}

const servers = [
  ["ollama", "http://localhost:11434", `Ollama answers at http://localhost:11434, but does not take calls from ${PAGE} (CORS): start it with the environment variable OLLAMA_ORIGINS=${PAGE}`],
  ["lmstudio", "http://localhost:1234", `LM Studio answers at http://localhost:1234, but does not take calls from ${PAGE} (CORS): turn on CORS in the settings of its server, or start it with \`lms server start --cors\``],
  ["vllm", "http://192.168.0.7:8000", `vLLM answers at http://192.168.0.7:8000, but does not take calls from ${PAGE} (CORS): start it with --allowed-origins '["${PAGE}"]'`],
  ["llamacpp", "http://[::1]:8080", `llama-server answers at http://[::1]:8080, but does not take calls from ${PAGE} (CORS): start it with --cors-origins ${PAGE}, or without the options that narrow whom it answers`],
];

for (const [provider, origin, text] of servers) {
  test(`the switch of ${provider} is named`, () => {
    assert.equal(hint(provider, `${origin}/v1/chat/completions`, { isUp: true }), text);
    // Each of them speaks the format of OpenAI at its usual port.
    assert.equal(hint("openai", `${origin}/v1/chat/completions`, { isUp: true }), text);
    assert.equal(hintWhenForbidden({ provider, url: `${origin}/v1` }, PAGE), text.replace(/ answers at .*?, but does not take calls/, " may not take calls").replace(" (CORS)", ""));
  });
}

test("of a server that lets the page read what it answers, both are named that may be", () => {
  assert.equal(
    hint("openai", "http://127.0.0.1:9999/v1", { isUp: true, isReadable: true }),
    `the server answers at http://127.0.0.1:9999, and lets ${PAGE} read that, but gave this call no answer: either it hung up, of which its log may say more; or it does not take such a call from there (CORS): have it send the header access-control-allow-origin: ${PAGE}`,
  );
});

test("how to start a server that does not run is named", () => {
  assert.equal(
    hint("ollama", "http://127.0.0.1:11434/v1", { isUp: false }),
    "nothing answers at http://127.0.0.1:11434, or the page's own policy (CSP) forbids to call it: if Ollama is not running, start it with `ollama serve`",
  );
  assert.equal(
    hint("openai", "http://127.0.0.1:9999/v1", { isUp: false }),
    "nothing answers at http://127.0.0.1:9999, or the page's own policy (CSP) forbids to call it: if the server is not running, start it",
  );
});

test("where nobody could look, both are named", () => {
  assert.equal(
    hint("ollama", "http://localhost:11434/v1"),
    `browsers do not say why; either nothing answers at http://localhost:11434: start it with \`ollama serve\`; or Ollama does not take calls from ${PAGE} (CORS): start it with the environment variable OLLAMA_ORIGINS=${PAGE}`,
  );
});

test("Chrome's permission to call into a network is named", () => {
  assert.equal(hint("ollama", "http://localhost:11434/v1", { permission: "denied" }), `the browser does not let ${PAGE} call your own machine: allow “Local network access” for it in the browser's settings of this site, and try again`);
  assert.equal(hint("vllm", "http://10.0.0.2:8000/v1", { permission: "prompt" }), `the browser asks first whether ${PAGE} may call your own network: allow it and try again; it only asks while the page is open in front of you`);
  assert.match(hint("ollama", "http://localhost:11434/v1", { permission: undefined }), /; some browsers let no https page call an http address at all: try Chrome$/);
  assert.equal(hint("ollama", "http://localhost:11434/v1", { page: "http://page.example" }), "browsers let only https pages call your own machine: open this page with https, or from your own machine");
});

test("an http address elsewhere is closed to https pages", () => {
  assert.equal(hint("openai", "http://model.example/v1"), `browsers let no https page call an http address: give the endpoint https, or open the page from your own machine; else ${RELAY}`);
  assert.match(hint("openai", "http://model.example/v1", { page: "http://localhost:5173" }), /^browsers do not say why; either nothing answers there/);
});

const cors = `browsers do not say why; either nothing answers there, or the endpoint does not allow calls from ${PAGE} (CORS); `;
const clouds = {
  "an organisation of Anthropic may forbid it": ["anthropic", "https://api.anthropic.com/v1/messages", `${cors}an organisation can forbid calls from pages, and its owner can allow them; else ${RELAY}`],
  "OpenAI allows it": ["openai", "https://api.openai.com/v1/chat/completions", `${cors}https://api.openai.com does allow them: look whether an extension or the page's own policy (CSP) blocks the call`],
  "one path of Gemini does not": ["openai", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", `${cors}its path /openai takes none from pages: use the provider gemini, without a baseUrl`],
  "of others a relay helps": ["groq", "https://api.groq.com/openai/v1/chat/completions", cors + RELAY],
};

for (const [name, [provider, url, text]] of Object.entries(clouds)) {
  test(`of clouds, ${name}`, () => assert.equal(hint(provider, url), text));
}

test("a device without a network is named as such, except where none is needed", () => {
  assert.equal(hint("openai", "https://api.openai.com/v1", { isOnline: false }), "this device has no network; connect it and try again");
  assert.match(hint("ollama", "http://localhost:11434/v1", { isOnline: false, isUp: true }), /^Ollama answers/);
});

test("a look at a server of one's own sends no key and no text, and none is taken elsewhere", async () => {
  const looks = [];
  const send = async (url, init) => {
    looks.push({ url, ...init });
    if (init.mode === "cors") throw new TypeError("Failed to fetch");
  };
  const hint = await hintWhenUnreachable({ provider: "ollama", url: "http://localhost:11434/v1/chat/completions?key=k" }, "http://localhost:5173", send);
  assert.match(hint, /^Ollama answers at http:\/\/localhost:11434, but does not take calls from http:\/\/localhost:5173/);
  const look = { method: "HEAD", credentials: "omit", cache: "no-store" };
  assert.deepEqual(looks.map(({ signal, ...look }) => look), [{ url: "http://localhost:11434/", mode: "no-cors", ...look }, { url: "http://localhost:11434/v1/chat/completions", mode: "cors", ...look }]);
  await hintWhenUnreachable({ provider: "groq", url: "https://api.groq.com/openai/v1" }, PAGE, send);
  assert.equal(looks.length, 2);
});

test("a replacement for fetch that refuses the look says nothing of the server", async () => {
  const endpoint = { provider: "ollama", url: "http://localhost:11434/v1" };
  const refuses = async () => { throw Object.assign(new Error("not allowed"), { name: "StepweaveError", code: "network" }); };
  assert.match(await hintWhenUnreachable(endpoint, "http://localhost:5173", refuses), /^browsers do not say why; either nothing answers at/);
  const fails = async () => { throw new TypeError("Failed to fetch"); };
  assert.match(await hintWhenUnreachable(endpoint, "http://localhost:5173", fails), /^nothing answers at/);
});
