// The world as a scenario scripts it: the functions that a document names, and the network.
import { perform } from "./actions.mjs";

const EVENT_STREAM = { "content-type": "text/event-stream" };

/** A request as tests/native/drive.rs shows it. Those of documents go to hosts of `api.test`. */
function sent(url, { method, headers: { authorization, ...headers }, body }) {
  const secret = authorization === undefined ? {} : { authorization };
  if (!new URL(url).hostname.endsWith("api.test")) return { url, body: JSON.parse(body), ...secret };
  // It has the run's id in it.
  delete headers["idempotency-key"];
  return { method, url, ...(Object.keys(headers).length > 0 && { headers }), ...(body !== undefined && { body: plain(body) }), ...secret };
}

function plain(body) {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** The script of one scenario. */
export class Script {
  /** The functions, by name. */
  handlers = {};
  /** What was sent, in order. */
  requests = [];
  /** What the runtime itself said, when a function provoked it. */
  runtimeWords = [];
  #time;
  #faults;
  #actions = new Map();
  #answers;

  constructor(scenario, time, faults) {
    this.#time = time;
    this.#faults = faults;
    this.#answers = [...(scenario.http ?? [])];
    for (const [name, actions] of Object.entries(scenario.handlers ?? {})) {
      this.#actions.set(name, [...actions]);
      this.handlers[name] = (state) => this.#call(name, state);
    }
  }

  /** What a run takes as its `fetch`. */
  fetch = async (url, init) => {
    this.#time.note();
    const place = this.#answers.findIndex(({ when }) => when === undefined || url.includes(when) || String(init.body ?? "").includes(when));
    if (place < 0) {
      this.#faults.push(`no answer is scripted for ${url} ${init.body}`);
      throw new Error("no answer is scripted");
    }
    const [answer] = this.#answers.splice(place, 1);
    this.requests.push(sent(url, init));
    if (answer.status === 0) throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
    const { status = 200, headers = EVENT_STREAM } = answer;
    return new Response(status === 204 ? null : this.#body(answer), { status, headers });
  };

  /** A script that was not needed hides a mistake in the scenario. */
  checkUsedUp() {
    for (const [name, actions] of this.#actions) {
      if (actions.length > 0) this.#faults.push(`\`${name}\` is called less often than scripted`);
    }
    if (this.#answers.length > 0) this.#faults.push("an HTTP answer is left over");
  }

  #call(name, state) {
    this.#time.note();
    const action = this.#actions.get(name).shift();
    if (action === undefined) {
      this.#faults.push(`\`${name}\` is called more often than scripted`);
      return undefined;
    }
    const act = () => perform(action, state, this.runtimeWords);
    return action.afterMs === undefined ? act() : this.#time.wait(action.afterMs).then(act);
  }

  #body({ chunks = [], chunkMs }) {
    const encoder = new TextEncoder();
    const left = [...chunks];
    const pull = async (controller) => {
      this.#time.note();
      if (chunkMs !== undefined) await this.#time.wait(chunkMs);
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else if (chunk === "<broken>") controller.error(new Error("the connection broke"));
      else controller.enqueue(encoder.encode(chunk));
    };
    // Nothing is made ahead: a chunk takes its time from when it is requested.
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }
}
