// Kills runs at random moments and resumes them, until they end as if nothing had happened:
//
//   node tests/kill/run.mjs [kills] [seed]
//
// A failure names the seed of its workflow: `node tests/kill/run.mjs 20 <seed>` begins with that one.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Workflow } from "stepweave";
import { differences } from "../runtimes/difference.mjs";
import { between, generator } from "./random.mjs";
import { summary } from "./summary.mjs";
import { handlersFor, randomWorkflow } from "./workflow.mjs";

const LIFE = fileURLToPath(new URL("life.mjs", import.meta.url));
/** How many runs go on at the same time. */
const LANES = 2;
/** A run is left in peace after so many kills. */
const MOST_KILLS = 15;
const TIMEOUT_MS = 170_000;
const LIFE_TIMEOUT_MS = 30_000;

async function main([kills = "300", first = String(Date.now() % 1_000_000)]) {
  const total = { workflows: 0, kills: 0, unacknowledged: 0, acknowledged: 0, calls: 0, resumedAfterEnd: 0 };
  const deadline = Date.now() + TIMEOUT_MS;
  let seed = Number(first);
  let failure;
  const lane = async () => {
    while (total.kills < Number(kills) && failure === undefined) {
      const own = seed++;
      try {
        const report = await survive(own);
        for (const [name, count] of Object.entries(report)) total[name] += count;
        total.workflows += 1;
      } catch (error) {
        failure ??= new Error(`the workflow of seed ${own}: ${error.stack}`, { cause: error });
      }
      if (Date.now() > deadline) failure ??= new Error(`only ${total.kills} kills in ${TIMEOUT_MS / 1000} s`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failure !== undefined) throw failure;
  assert.ok(total.acknowledged > 0 && total.calls > 0, "something happened");
  console.log(
    `${total.workflows} workflows (seeds from ${first}), ${total.kills} kills, ${(total.kills / total.workflows).toFixed(1)} for each; ` +
      `${total.calls} calls of functions, ${total.unacknowledged} of them repeated since nobody had been informed that they were done; ` +
      `none of ${total.acknowledged} steps that were reported as done ran again; ${total.resumedAfterEnd} ended runs called nothing when they were started again`,
  );
}

/** Runs the workflow of a seed, killed again and again, and checks what came of it. */
async function survive(seed) {
  const random = generator(seed ^ 0x5eed);
  const undisturbed = await runUndisturbed(seed);
  const folder = await mkdtemp(join(tmpdir(), "stepweave-kill-"));
  try {
    const lives = [];
    for (let isOver = false; !isOver; ) {
      // Early or late, and in the middle of whatever goes on then.
      const moment = lives.length < MOST_KILLS ? { steps: between(random, 0, Math.ceil(undisturbed.steps / 4)), ms: random() * 8 } : undefined;
      const reported = new Set(lives.flatMap(({ done }) => done));
      const life = await live(seed, folder, (key) => !reported.has(key), moment);
      lives.push({ ...life, calls: await callsIn(folder, lives) });
      isOver = life.ended !== undefined;
    }
    // A run that failed is tried again when it is started again; one that went well is not.
    const isFlawless = undisturbed.summary.errors.length === 0;
    if (isFlawless) lives.push({ ...(await live(seed, folder, () => false)), calls: await callsIn(folder, lives) });
    return { ...check(lives, undisturbed), resumedAfterEnd: isFlawless ? 1 : 0 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runUndisturbed(seed) {
  const { document, behaviour } = randomWorkflow(seed);
  const calls = [];
  const workflow = Workflow.fromDocument(document, { handlers: handlersFor(behaviour, (call) => calls.push(call)) });
  let steps = 0;
  for await (const event of workflow.stream()) {
    if (event.type === "step.done") steps += 1;
    if (event.result !== undefined) return { summary: JSON.parse(JSON.stringify(summary(event.result))), calls, steps };
  }
  throw new Error("the undisturbed run ended without a result");
}

/** Starts the process; kills it so long after it has reported so many new steps, or lets it end. */
async function live(seed, folder, isNew, moment) {
  const child = spawn(process.execPath, [LIFE, String(seed), folder], { stdio: ["ignore", "pipe", "pipe"], timeout: LIFE_TIMEOUT_MS, killSignal: "SIGTERM" });
  const complaint = [];
  child.stderr.on("data", (data) => complaint.push(data));
  const closed = new Promise((resolve, reject) => child.once("error", reject).once("close", (...how) => resolve(how)));
  const done = [];
  let ended;
  let killer;
  let steps = 0;
  for await (const { type, key, summary } of linesOf(child.stdout)) {
    if (type === "ended") ended = summary;
    if (type === "done") {
      done.push(key);
      if (isNew(key)) steps += 1;
    }
    if (moment !== undefined && steps >= moment.steps) killer ??= setTimeout(() => child.kill("SIGKILL"), moment.ms);
  }
  const [code, signal] = await closed;
  clearTimeout(killer);
  const isKilled = signal === "SIGKILL";
  if (!isKilled && (code !== 0 || ended === undefined)) throw new Error(`a life ended with ${signal ?? `exit code ${code}`}: ${Buffer.concat(complaint)}`);
  return { ended, isKilled, done };
}

/** What was written before a kill is all there; the last line may be cut off. */
async function* linesOf(stream) {
  let text = "";
  for await (const data of stream.setEncoding("utf8")) {
    const lines = (text + data).split("\n");
    text = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

/** The calls of functions since the lives before. */
async function callsIn(folder, lives) {
  const text = await readFile(join(folder, "calls"), "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const known = lives.reduce((sum, { calls }) => sum + calls.length, 0);
  return text.split("\n").slice(0, -1).slice(known).map((line) => JSON.parse(line));
}

function check(lives, undisturbed) {
  const { stoppedBy } = undisturbed.summary;
  // What stopped a run is tried again, with another attempt, when the run is resumed.
  const nameOf = ({ key, what, attempt }) => (key === stoppedBy ? `${key} ${what}` : `${key} ${what} ${attempt}`);
  const acknowledged = new Set();
  const seen = new Map();
  const idempotencyKeys = new Map();
  let unacknowledged = 0;
  for (const [number, { calls, done }] of lives.entries()) {
    const inThisLife = new Set();
    for (const each of calls) {
      const { key, what, attempt, idempotencyKey } = each;
      assert.ok(!acknowledged.has(key), `life ${number} ran ${key} (${what}, attempt ${attempt}) again, which was reported as done in a life before`);
      const call = nameOf(each);
      // The step of a loop or a switch asks several times, under its one key.
      if (what === "work") assert.ok(!inThisLife.has(call), `life ${number} ran ${call} twice`);
      if (seen.has(call) && !inThisLife.has(call)) unacknowledged += 1;
      inThisLife.add(call);
      seen.set(call, number);
      assert.equal(idempotencyKeys.get(key) ?? idempotencyKey, idempotencyKey, `${key} has one idempotency key in every life`);
      idempotencyKeys.set(key, idempotencyKey);
    }
    for (const key of done) acknowledged.add(key);
  }
  assert.equal(new Set(idempotencyKeys.values()).size, idempotencyKeys.size, "each step has an idempotency key of its own");
  for (const { ended } of lives) if (ended !== undefined) assert.deepEqual([...differences(undisturbed.summary, ended)], [], "the resumed run came to something else than an undisturbed one");
  const expected = new Set(undisturbed.calls.map(nameOf));
  assert.deepEqual([...seen.keys()].sort(), [...expected].sort(), "what was called is what an undisturbed run calls");
  if (undisturbed.summary.errors.length === 0) assert.deepEqual(lives.at(-1).calls, [], "an ended run calls nothing when it is started again");
  return { kills: lives.filter(({ isKilled }) => isKilled).length, unacknowledged, acknowledged: acknowledged.size, calls: lives.reduce((sum, { calls }) => sum + calls.length, 0) };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
