// Kills runs that send requests, at random moments and around the sending of each, and resumes them. Nothing whose answer
// was acknowledged is sent again, and nothing is lost:
//
//   node tests/kill/requests/run.mjs [kills] [seed]
//
// A failure names the seed of its runs: `node tests/kill/requests/run.mjs 20 <seed>` begins with these.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { between, chance, generator, pick } from "../random.mjs";
import { MODES, operationsOf } from "./workflow.mjs";

const program = (name) => fileURLToPath(new URL(name, import.meta.url));
/** How many processes are killed at the same time, and how many runs go on in each. */
const LANES = 3;
const RUNS = 3;
/** Runs are left in peace after so many kills. */
const MOST_KILLS = 30;
const TIMEOUT_MS = 300_000;
const LIFE_TIMEOUT_MS = 30_000;
/** A process that lives so shortly loses more by compiling well than it gains. */
const SHORT_LIVED = ["--liftoff-only", "--no-opt"];
/** When a process is killed: before a request leaves, just after that, while the endpoint has it, in the middle of the answer, after it, or whenever. */
const MOMENTS = ["before", "sending", "arrived", "answering", "answered", "random"];

async function main([kills = "300", first = String(Date.now() % 1_000_000)]) {
  const total = { runs: 0, kills: 0, operations: 0, acknowledged: 0, repeated: 0, skipped: 0, unknown: 0, ...Object.fromEntries(MOMENTS.map((moment) => [moment, 0])) };
  const deadline = Date.now() + TIMEOUT_MS;
  const endpoint = await startEndpoint();
  // Of all lanes together, while they go on.
  let left = Number(kills);
  const mayKill = () => left > 0;
  const killed = () => void (left -= 1);
  let seed = Number(first);
  let failure;
  const lane = async () => {
    while (mayKill() && failure === undefined) {
      const own = seed;
      seed += RUNS;
      try {
        for (const [name, count] of Object.entries(await survive(own, endpoint, { mayKill, killed }))) total[name] += count;
      } catch (error) {
        failure ??= new Error(`the runs of seed ${own}: ${error.stack}`, { cause: error });
      }
      if (Date.now() > deadline) failure ??= new Error(`only ${kills - left} kills in ${TIMEOUT_MS / 1000} s`);
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    endpoint.stop();
  }
  if (failure !== undefined) throw failure;
  if (Number(kills) >= 100) for (const [what, count] of Object.entries(total)) assert.ok(count > 0, `nothing is counted as ${what}`);
  console.log(
    `${total.runs} runs with requests (seeds from ${first}), ${total.kills} kills (${MOMENTS.map((moment) => `${total[moment]} ${moment}`).join(", ")}); ` +
      `none of ${total.acknowledged} requests whose answer was acknowledged was sent again; of ${total.operations} operations ` +
      `${total.repeated} were sent again with their key since onUnknown says so, ${total.skipped} were skipped, ` +
      `and ${total.unknown} times a run failed with unknown_outcome until a person decided`,
  );
}

async function startEndpoint() {
  const child = spawn(process.execPath, [program("endpoint.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill());
  const [port] = await once(child.stdout, "data");
  const origin = `http://127.0.0.1:${String(port).trim()}`;
  return {
    origin,
    async arrivals(runs) {
      const all = await (await fetch(origin)).json();
      return all.filter(({ operation }) => runs.some(({ run }) => operation.startsWith(`${run}/`)));
    },
    stop: () => child.kill(),
  };
}

/** Kills some runs together again and again until each has ended, and checks what came of them. */
async function survive(seed, endpoint, { mayKill, killed }) {
  const random = generator(seed ^ 0x5e47);
  const folder = await mkdtemp(join(tmpdir(), "stepweave-sent-"));
  const runs = Array.from({ length: RUNS }, (_, index) => ({ run: `run-${seed + index}`, seed: seed + index, onUnknown: pick(random, MODES), isOver: false }));
  const most = runs.reduce((sum, { seed }) => sum + operationsOf(seed).length, 0);
  const counts = { runs: RUNS, kills: 0, operations: most, acknowledged: 0, repeated: 0, skipped: 0, unknown: 0, ...Object.fromEntries(MOMENTS.map((moment) => [moment, 0])) };
  const lives = [];
  try {
    while (runs.some(({ isOver }) => !isOver)) {
      const open = runs.filter(({ isOver }) => !isOver);
      const job = { folder, origin: endpoint.origin, life: lives.length, runs: open.map(({ run, seed, onUnknown }) => ({ run, seed, onUnknown })) };
      const plan = counts.kills < MOST_KILLS && mayKill() ? { moment: pick(random, MOMENTS), number: between(random, 1, Math.max(2, Math.ceil(most / 10))), ms: random() * 3 } : {};
      const life = await live({ ...job, ...plan });
      lives.push({ ...life, modes: new Map(open.map(({ run, onUnknown }) => [run, onUnknown])) });
      if (life.isKilled) {
        counts.kills += 1;
        killed();
        counts[plan.moment] += 1;
      }
      for (const one of open) settle(one, life.ended.get(one.run), random, counts);
    }
    check(runs, lives, await endpoint.arrivals(runs), counts);
    return counts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What becomes of a run after a life in which it ended so, if it did. */
function settle(one, ended, random, counts) {
  if (ended === undefined) return;
  one.ended = ended;
  if (ended.status === "done") {
    one.isOver = true;
    return;
  }
  assert.deepEqual([ended.status, ended.code], ["error", "unknown_outcome"], `${one.run} ended with ${JSON.stringify(ended)}`);
  assert.match(ended.hint, /look at the endpoint/);
  counts.unknown += 1;
  // Of the tool of an agent no document says that it may be sent again.
  const isTool = ended.step.startsWith("agent");
  assert.ok(isTool || one.onUnknown === "fail", `${one.run} fails although its onUnknown is ${one.onUnknown}`);
  // Started again it fails in the same way. Then a person decides.
  if (!one.hasFailed) one.hasFailed = true;
  else if (isTool) one.isOver = true;
  else one.onUnknown = chance(random, 0.5) ? "retry" : "skip";
}

/** Starts the process, and gives what it said until it ended or was killed. */
async function live(job) {
  const child = spawn(process.execPath, [...SHORT_LIVED, program("life.mjs"), JSON.stringify(job)], { stdio: ["ignore", "pipe", "pipe"], timeout: LIFE_TIMEOUT_MS, killSignal: "SIGTERM" });
  const complaint = [];
  child.stderr.on("data", (data) => complaint.push(data));
  const closed = once(child, "close");
  const done = new Set();
  const warned = new Map();
  const ended = new Map();
  let killer;
  let steps = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut off.
    const { type, ...event } = line.endsWith("}") ? JSON.parse(line) : {};
    if (type === "done") done.add(event.operation);
    if (type === "warning" && event.code === "unknown_outcome") warned.set(event.run, (warned.get(event.run) ?? 0) + 1);
    if (type === "ended") ended.set(event.run, event);
    steps += 1;
    if (job.moment === "random" && steps >= job.number) killer ??= setTimeout(() => child.kill("SIGKILL"), job.ms);
  }
  const [code, signal] = await closed;
  clearTimeout(killer);
  const isKilled = signal === "SIGKILL";
  if (!isKilled && code !== 0) throw new Error(`a life ended with ${signal ?? `exit code ${code}`}: ${Buffer.concat(complaint)}`);
  return { isKilled, done, warned, ended };
}

function check(runs, lives, arrivals, counts) {
  for (const { run, seed, ended } of runs) {
    const text = JSON.stringify(ended.state);
    let skipped = 0;
    for (const name of operationsOf(seed)) {
      const operation = `${run}/${name}`;
      const own = arrivals.filter((arrival) => arrival.operation === operation);
      const doneIn = lives.findIndex(({ done }) => done.has(operation));
      assert.ok(new Set(own.map(({ key }) => key)).size <= 1, `${operation} is sent with one idempotency key`);
      for (const [index, { life }] of own.entries()) {
        assert.ok(doneIn < 0 || life <= doneIn, `life ${life} sent ${operation} again, whose answer was acknowledged in life ${doneIn}`);
        if (index === 0) continue;
        assert.ok(own[index - 1].life < life, `life ${life} sent ${operation} twice`);
        assert.equal(lives[life].modes.get(run), "retry", `life ${life} sent ${operation} again, which was cut off without an answer`);
        counts.repeated += 1;
      }
      if (doneIn >= 0) {
        counts.acknowledged += 1;
        assert.ok(own.length > 0, `${operation} is said to be done, and was never sent`);
      } else if (ended.status === "done" && !name.startsWith("agent")) {
        skipped += 1;
      }
      const isListed = name.startsWith("foreach") && ended.status === "done";
      if (isListed) assert.equal(text.includes(`"${operation}"`), doneIn >= 0, `the result of ${operation} is in the state if it is known`);
    }
    // Of a run that stays where its agent's tool failed nobody knows yet what else it would have skipped.
    if (ended.status !== "done") continue;
    const last = lives.findLast(({ modes }) => modes.has(run));
    assert.equal(skipped, last.warned.get(run) ?? 0, `${run} warns of each request that is skipped: none is lost`);
    assert.ok(skipped === 0 || last.modes.get(run) === "skip", `${run} skips nothing that it does not have to skip`);
    counts.skipped += skipped;
  }
  assert.equal(new Set(arrivals.map(({ key }) => key)).size, new Set(arrivals.map(({ operation }) => operation)).size, "each operation has a key of its own");
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
