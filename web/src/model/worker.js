// Serves this workflow from a Cloudflare Worker: POST a state as JSON, and get the result of a run.
// It keeps no runs: one that waits for a person, at an approval, ends with 501. “Deploy it” has projects that keep them.
import { publicError, publicResult, Workflow } from "stepweave";
/* imports */
const workflow = Workflow.fromDocument(`/* document */`);

// The only origins that runs send requests to: those that the builder showed when it made this file.
const allowOrigins = /* origins */;

// The keys that the document names, each with the only origins that it is sent to.
const keys = /* keys */;

// The longest body that is read.
const MAX_BODY_BYTES = 256 * 1024;

// What the caller can mend is a 4xx, what a model's endpoint did is a 502 to 504.
const STATUS = { validation: 400, template: 422, limit: 422, budget: 422, model: 502, auth: 502, network: 502, rate_limit: 503, timeout: 504 };

export default {
  async fetch(request, env) {
    try {
      return await respond(request, env);
    } catch (error) {
      return failure(error);
    }
  },
};

async function respond(request, env) {
  await authorise(request, bound(env, "ACCESS_TOKEN"));
  switch (request.method) {
    case "GET":
      return Response.json({ workflow: workflow.name, usage: "POST a state as JSON" });
    case "POST":
      return run(await stateFrom(request), secretsFrom(env), request.signal);
    default:
      throw new Refusal(405, "method_not_allowed", `${request.method} is not answered here`, { allow: "GET, POST" });
  }
}

async function run(state, secrets, signal) {
  // A caller who hangs up ends the run: nobody pays for tokens that nobody reads.
  const result = await workflow.run({ state, secrets, signal, allowOrigins });
  if (result.status === "suspended") throw new Refusal(501, "suspended", "the workflow waits for a person, and this Worker keeps no runs: “Deploy it” in the builder has projects that do");
  if (result.status !== "done") throw result.error ?? new Refusal(499, "cancelled", "the caller hung up");
  // Warnings and what goes on inside are for whoever serves the workflow.
  return Response.json(publicResult(result));
}

// Without an ACCESS_TOKEN everyone who knows the address can run it.
async function authorise(request, token) {
  if (token === undefined) return;
  const given = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const [left, right] = await Promise.all([digest(given), digest(token)]);
  // All bytes of two digests: how long this takes tells nothing about the token.
  if (left.reduce((difference, byte, index) => difference | (byte ^ right[index]), 0) === 0) return;
  throw new Refusal(401, "unauthorized", "this workflow needs an access token", { "www-authenticate": "Bearer" });
}

async function digest(text) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function secretsFrom(env) {
  const given = keys.map(([name, origins]) => [name, { value: bound(env, name), origins }]);
  return Object.fromEntries(given.filter(([, { value }]) => value !== undefined));
}

// What `wrangler secret put` has set. One that was piped in often ends with a line break, which no header can hold.
function bound(env, name) {
  if (!Object.hasOwn(env, name)) return undefined;
  const text = typeof env[name] === "string" ? env[name].trim() : "";
  if (text !== "") return text;
  throw new Refusal(500, "configuration", `the binding ${name} is no text, or empty: set it with npx wrangler secret put ${name}`);
}

async function stateFrom(request) {
  const text = await bodyOf(request);
  let state;
  try {
    state = text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw new Refusal(400, "not_json", `the body is not JSON: ${error.message}`);
  }
  if (typeof state === "object" && state !== null && !Array.isArray(state)) return state;
  throw new Refusal(400, "validation", "the body is no JSON object");
}

async function bodyOf(request) {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // Counted while it arrives: the length that a caller announces is only a claim.
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, "too_large", `the body is longer than ${MAX_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

// An answer other than 200.
class Refusal extends Error {
  constructor(status, code, message, headers = {}) {
    super(message);
    Object.assign(this, { status, code, headers });
  }
}

function failure(error) {
  if (error instanceof Refusal) {
    const { status, code, message, headers } = error;
    return Response.json({ error: { code, message } }, { status, headers });
  }
  // The whole of it is for `wrangler tail`.
  console.error(error);
  const shown = publicError(error);
  return Response.json({ error: shown }, { status: STATUS[shown.code] ?? 500 });
}
