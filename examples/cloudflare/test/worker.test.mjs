import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { allEventsOf, eventsOf } from "./events.mjs";
import { finish, refuse, say, startUpstream } from "./upstream.mjs";
import { startWorker } from "./worker.mjs";

const STATE = JSON.stringify({ text: "Bees make honey." });
const EVENTS = { accept: "text/event-stream" };
const KEY = "sk-a-key-of-the-endpoint";

const runs = (worker) => new URL("/runs", worker.url);
const post = (worker, { body = STATE, ...init } = {}) => fetch(runs(worker), { method: "POST", body, ...init });

/** Asserts that a response is a problem as every problem is, and gives it. */
async function refused(response, status, code) {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const problem = JSON.parse(text);
  assert.deepEqual([problem.code, problem.status, problem.type], [code, status, "about:blank"]);
  assert.ok(problem.title.length > 0 && problem.detail.length > 0);
  return problem;
}

describe("as it is deployed first, on the demo model", () => {
  let worker;
  before(async () => (worker = await startWorker()));
  after(() => worker.stop());

  test("describes itself", async () => {
    const response = await fetch(new URL("/openapi.json", worker.url));
    assert.equal(response.status, 200);
    assert.equal((await response.json()).info.title, "Briefing");
  });

  test("runs and gives the result as JSON", async () => {
    const response = await post(worker);
    assert.equal(response.status, 200);
    const { runId, status, state, stepResults, usage, errors, ...others } = await response.json();
    assert.deepEqual([typeof runId, usage.outputTokens > 0, others], ["string", true, {}]);
    assert.equal(status, "done");
    assert.match(state.briefing_output, /^\[simulated\]/);
    assert.deepEqual(stepResults.map(({ id, status }) => [id, status]), [["s1", "done"], ["s2", "done"], ["s3", "done"], ["s4", "done"]]);
    assert.ok(stepResults.at(-1).simulated);
    assert.deepEqual(errors, []);
  });

  test("runs and gives the events in order", async () => {
    const response = await post(worker, { headers: EVENTS });
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^text\/event-stream/);
    const events = await allEventsOf(response);
    assert.equal(events[0].event, "run.start");
    assert.equal(events.at(-1).event, "run.done");
    assert.ok(events.some(({ event }) => event === "step.delta"));
    // Behind its number an id has a mark of what was read up to it.
    for (const { id, event, data } of events) assert.deepEqual([id.split("-")[0], event], [`${data.seq}`, data.type]);
    assert.match(events.at(-1).data.result.state.briefing_output, /^\[simulated\]/);
  });

  test("answers many at once", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, async () => (await post(worker)).json()));
    assert.equal(new Set(results.map(({ runId }) => runId)).size, 20);
    assert.ok(results.every(({ status }) => status === "done"));
  });

  test("takes what the input of the workflow names, and nothing else", async () => {
    await refused(await post(worker, { body: "{text: 1}" }), 400, "not_json");
    for (const body of ["[]", "null", '"text"', "7"]) await refused(await post(worker, { body }), 400, "validation");
    // An empty body is an empty input.
    for (const body of ["{}", "", '{"text": 1}']) {
      assert.match((await refused(await post(worker, { body }), 400, "validation")).detail, /text/);
    }
    for (const key of ["summary_output", "audience_of_others"]) {
      const problem = await refused(await post(worker, { body: JSON.stringify({ text: "Bees.", [key]: "mine" }) }), 400, "validation");
      assert.match(problem.detail, new RegExp(key));
    }
    const { state } = await (await post(worker, { body: JSON.stringify({ text: "Bees.", audience: "a queen" }) })).json();
    assert.equal(state.audience, "a queen");
  });

  test("refuses a long body, also one that does not say its length", async () => {
    const body = JSON.stringify({ text: "x".repeat(300_000) });
    await refused(await post(worker, { body }), 413, "too_large");
    const stream = new Blob([body]).stream();
    await refused(await post(worker, { body: stream, duplex: "half" }), 413, "too_large");
  });

  test("refuses other methods and other paths", async () => {
    await refused(await fetch(runs(worker), { method: "DELETE" }), 405, "method_not_allowed");
    await refused(await fetch(new URL("/favicon.ico", worker.url)), 404, "not_found");
  });

  test("lets no page of another origin call it", async () => {
    const response = await post(worker, { headers: { origin: "https://elsewhere.example" } });
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    await refused(response, 403, "forbidden");
  });
});

describe("with an access token and an allowed origin", () => {
  const ALLOWED_ORIGIN = "https://app.example";
  const TOKEN = "open-sesame-open-sesame";
  let worker;
  before(async () => (worker = await startWorker({ env: { ACCESS_TOKEN: TOKEN, ALLOWED_ORIGIN } })));
  after(() => worker.stop());

  test("runs for those who have the token", async () => {
    const response = await post(worker, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal((await response.json()).status, "done");
  });

  test("refuses those who do not", async () => {
    for (const authorization of ["", "Bearer", "Bearer open", `Bearer ${TOKEN}!`, `Basic ${TOKEN}`]) {
      const response = await post(worker, { headers: { authorization, origin: ALLOWED_ORIGIN } });
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
      // A page must be able to read why.
      assert.equal(response.headers.get("access-control-allow-origin"), ALLOWED_ORIGIN);
      await refused(response, 401, "unauthorized");
    }
  });

  test("answers a browser's question before the call", async () => {
    const headers = { origin: ALLOWED_ORIGIN, "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
    const response = await fetch(runs(worker), { method: "OPTIONS", headers });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("access-control-allow-origin"), ALLOWED_ORIGIN);
    assert.match(response.headers.get("access-control-allow-headers"), /authorization/);
  });
});

describe("with an endpoint", () => {
  let upstream;
  let worker;
  /** What the endpoint does with a call; each test sets its own. */
  let answer;

  before(async () => {
    upstream = await startUpstream((request, response) => answer(request, response));
    // With the line break that a secret often gets when it is piped in.
    worker = await startWorker({ env: { LLM_BASE_URL: upstream.url, LLM_MODEL: "tiny", LLM_API_KEY: `${KEY}\n`, PUBLIC: "yes" } });
  });
  after(async () => {
    await worker.stop();
    await upstream.stop();
  });

  test("asks it with the key and streams its words as they come", async () => {
    const calls = upstream.requests.length;
    let release;
    const held = new Promise((resolve) => (release = resolve));
    answer = async (_, response) => {
      say(response, "Hel");
      await held;
      say(response, "lo");
      finish(response);
    };
    const seen = [];
    for await (const { event, data } of eventsOf(await post(worker, { headers: EVENTS }))) {
      seen.push(event);
      // The endpoint goes on only after its first words have come all the way.
      if (event === "step.delta") release();
      if (event !== "run.done") continue;
      assert.equal(data.result.state.briefing_output, "Hello");
      assert.deepEqual(data.result.usage, { inputTokens: 21, outputTokens: 9 });
    }
    assert.equal(seen.filter((event) => event === "step.delta").length, 6);
    assert.equal(seen.at(-1), "run.done");
    const requests = upstream.requests.slice(calls);
    assert.equal(requests.length, 3);
    for (const { headers, body } of requests) {
      assert.equal(headers.authorization, `Bearer ${KEY}`);
      assert.equal(body.model, "tiny");
      assert.equal(body.stream, true);
    }
  });

  for (const [what, status, expected, code] of [
    ["refuses the key", 401, 502, "auth"],
    ["is busy", 429, 503, "rate_limit"],
    ["does not know the model", 404, 502, "model"],
    ["fails", 500, 502, "model"],
  ]) {
    test(`tells that the endpoint ${what}`, async () => {
      answer = (_, response) => refuse(response, status, `no, because of ${status}`);
      const error = await refused(await post(worker), expected, code);
      assert.match(error.step.path, /^steps\[0\]/);
      keepsToItself(error);
    });
  }

  /** Asserts that neither where the endpoint is nor what it said is told. */
  function keepsToItself(answer) {
    assert.doesNotMatch(JSON.stringify(answer), new RegExp(`${new URL(upstream.url).host}|127\\.0\\.0\\.1|because of`));
  }

  test("keeps failures to itself that a run survives", async () => {
    const document = survivor();
    const worker = await startWorker({ document, env: { LLM_BASE_URL: upstream.url, LLM_MODEL: "tiny", LLM_API_KEY: KEY, PUBLIC: "yes" } });
    try {
      answer = (_, response) => refuse(response, 404, "no, because of db.internal");
      const result = await (await post(worker)).json();
      assert.equal(result.status, "done");
      assert.deepEqual(result.errors.map(({ code, step }) => [code, step.name]), [["model", "try"]]);
      assert.equal(result.stepResults[0].error.code, "model");
      keepsToItself(result);
      const events = await allEventsOf(await post(worker, { headers: EVENTS }));
      assert.equal(events.find(({ event }) => event === "step.error").data.error.code, "model");
      keepsToItself(events);
    } finally {
      await worker.stop();
    }
  });

  test("tells that the endpoint broke off or spoke garbage", async () => {
    answer = (_, response) => {
      say(response, "Hel");
      setTimeout(() => response.destroy(), 20);
    };
    keepsToItself(await refused(await post(worker), 502, "network"));
    answer = (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>");
    keepsToItself(await refused(await post(worker), 502, "model"));
  });

  test("tells a failure among the events too, with what had arrived", async () => {
    answer = ({ body }, response) => {
      say(response, "Hel");
      if (JSON.stringify(body.messages).includes("briefing")) setTimeout(() => response.destroy(), 20);
      else finish(response);
    };
    const events = await allEventsOf(await post(worker, { headers: EVENTS }));
    const { event, data } = events.at(-1);
    assert.equal(event, "run.error");
    assert.equal(data.result.state.summary_output, "Hel");
    assert.equal(data.result.stepResults.at(-1).text, "Hel");
    assert.equal(data.result.errors[0].code, "network");
    assert.equal(data.result.errors[0].step.path, "steps[1]");
    keepsToItself(events);
  });

  test("never shows the key", async () => {
    answer = ({ headers }, response) => refuse(response, 401, `wrong key: ${headers.authorization}`);
    assert.doesNotMatch(await (await post(worker)).text(), /sk-a-key/);
    assert.doesNotMatch(await (await post(worker, { headers: EVENTS })).text(), /sk-a-key/);
  });

  /** Calls the Worker, hangs up when both lanes of the parallel wait for the endpoint, and sees that these are given up. */
  async function hangUp(headers, how, say) {
    const calls = upstream.requests.length;
    const called = new Promise((resolve) => {
      answer = (_, response) => {
        say(response);
        if (upstream.requests.length === calls + 2) resolve();
      };
    });
    const client = httpRequest(runs(worker), { method: "POST", headers });
    client.on("error", () => {}).on("response", (response) => response.on("error", () => {}).resume());
    client.end(STATE);
    await called;
    await sleep(50);
    how(client);
    await Promise.all(upstream.requests.slice(calls).map(({ hungUp }) => hungUp));
    // The step after them never begins.
    await sleep(100);
    assert.equal(upstream.requests.length, calls + 2);
  }

  for (const [what, headers] of [["events", EVENTS], ["result", {}]]) {
    test(`ends the run when who waits for the ${what} goes`, { timeout: 10_000 }, () =>
      hangUp(headers, (client) => client.socket.resetAndDestroy(), (response) => say(response, "Hel")));
  }

  test("ends the run when who reads the events hangs up politely", { timeout: 10_000 }, () =>
    // An orderly end of a connection is noticed with the next words that cannot be delivered.
    hangUp(EVENTS, (client) => client.destroy(), async (response) => {
      for (; !response.destroyed; await sleep(20)) say(response, "la ");
    }));
});

describe("with settings that do not work", () => {
  const started = async (env, body) => {
    const worker = await startWorker({ env });
    try {
      return await body(worker);
    } finally {
      await worker.stop();
    }
  };

  test("says that nothing answers at the endpoint", () =>
    started({ LLM_BASE_URL: "http://127.0.0.1:9/v1", LLM_MODEL: "tiny", PUBLIC: "yes" }, async (worker) => {
      const error = await refused(await post(worker), 502, "network");
      assert.doesNotMatch(JSON.stringify(error), /127\.0\.0\.1/);
    }));

  test("runs on an endpoint for nobody until it is said for whom", async () => {
    for (const PUBLIC of ["", "no", "true"]) {
      await started({ LLM_BASE_URL: "http://127.0.0.1:9/v1", LLM_MODEL: "tiny", PUBLIC }, async (worker) => {
        assert.match((await refused(await post(worker), 500, "configuration")).hint, /ACCESS_TOKEN.*PUBLIC/);
      });
    }
  });

  test("lets nobody in with a token that is no text, or empty, or short", async () => {
    for (const ACCESS_TOKEN of [{ get: "open" }, 7, "", " \n", "sesame"]) {
      await started({ ACCESS_TOKEN }, async (worker) => {
        for (const authorization of ["Bearer [object Object]", "Bearer 7", "Bearer sesame", ""]) {
          const error = await refused(await post(worker, { headers: { authorization } }), 500, "configuration");
          assert.match(error.detail, /ACCESS_TOKEN|`caller`/);
        }
      });
    }
  });

  test("says that a key is no text", () =>
    started({ LLM_BASE_URL: "http://127.0.0.1:9/v1", LLM_MODEL: "tiny", LLM_API_KEY: { value: KEY } }, async (worker) => {
      assert.match((await refused(await post(worker), 500, "configuration")).detail, /LLM_API_KEY is no text/);
    }));

  test("says what is not set", async () => {
    for (const env of [{ LLM_BASE_URL: "https://llm.example/v1" }, { LLM_BASE_URL: "llm.example", LLM_MODEL: "tiny", LLM_API_KEY: KEY }]) {
      await started(env, async (worker) => {
        const error = await refused(await post(worker, { headers: EVENTS }), 500, "configuration");
        assert.match(error.hint, /wrangler\.jsonc/);
      });
    }
  });
});

/** A file with a workflow that goes on when its one step fails. */
function survivor() {
  const file = join(mkdtempSync(join(tmpdir(), "stepweave-worker-")), "workflow.json");
  const own = JSON.parse(readFileSync(new URL("../workflow.json", import.meta.url), "utf8"));
  const steps = [{ id: "s1", type: "agent", name: "try", agent: "writer", inputFrom: "{{ text }}", required: false }];
  writeFileSync(file, JSON.stringify({ ...own, steps }));
  return file;
}
