// A page that calls an endpoint as runs do, with its own fetch.
import { prepared } from "../../../pkg/ts/effects/exchange.ts";
import { Network } from "../../../pkg/ts/effects/network.ts";
import { SecretTable } from "../../../pkg/ts/effects/secrets.ts";

/** Calls the endpoint; gives the answer's status and hint, or the error. */
async function call(provider, url) {
  const secrets = new SecretTable(new Map(), {});
  const network = new Network({ fetch: undefined, reach: { own: "all", allowed: undefined, secrets }, secrets });
  const request = { url, method: "POST", headers: { "content-type": "application/json" }, body: "{}", provider, waits: {} };
  try {
    const { status, hint } = await network.fetch(request, new AbortController());
    return { status, hint };
  } catch ({ code, message, hint, retryable, cause }) {
    return { code, message, hint, retryable, cause: cause?.name };
  }
}

/** Sends a request of a document that must not be sent twice; gives the error. */
async function sendOnce(url, headers) {
  const secrets = new SecretTable(new Map(), {});
  const sending = { method: "POST", url, headers, body: "{}", response: "auto", maxBytes: 1000, once: true };
  const bounds = { fetch: undefined, reach: { own: "all", allowed: undefined, secrets }, secrets, relay: async () => undefined, trace: undefined };
  try {
    const send = await prepared(sending, undefined, bounds, new AbortController(), (answer) => answer);
    return { answer: await send() };
  } catch ({ code, message, hint, retryable }) {
    return { code, message, hint, retryable };
  }
}

/** Calls the endpoint in a worker of the page. */
function callInWorker(...given) {
  const worker = new Worker("/call.js", { type: "module" });
  const answer = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data === "ready" ? worker.postMessage(given) : resolve(data));
    worker.onerror = ({ message }) => reject(new Error(message));
  });
  return answer.finally(() => worker.terminate());
}

Object.assign(globalThis, { call, callInWorker, sendOnce });

if (typeof document === "undefined") {
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(await call(...data));
  globalThis.postMessage("ready");
}
