// The rate limiters of endpoints: the order, the bounds, giving up, clocks that do not work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal, rejection, turn } from "./support.js";

const { rateLimiterOf } = await internal("effects/rate-limiter.ts");

/** Time that passes when a test says so. */
function handClock() {
  let now = 0;
  let sleepers = [];
  return {
    now: () => now,
    get sleepers() {
      return sleepers.length;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = { until: now + ms, resolve };
        sleepers.push(sleeper);
        signal.addEventListener("abort", () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          resolve();
        });
      }),
    async pass(ms) {
      now += ms;
      const due = sleepers.filter(({ until }) => until <= now);
      sleepers = sleepers.filter(({ until }) => until > now);
      for (const { resolve } of due) resolve();
      await turn();
    },
  };
}

/** Requests leave so many times; `passed` has the numbers of those that got it. */
function queue(limiter, count, bounds, signals = []) {
  const passed = [];
  const permits = [];
  for (let number = 0; number < count; number += 1) {
    const admitted = limiter.admit(bounds, signals[number] ?? new AbortController().signal);
    admitted.then((permit) => {
      passed.push(number);
      permits[number] = permit;
    }, () => {});
  }
  return { passed, permits };
}

test("as many pass as may be under way, the others in the order in which they came", async () => {
  const { passed, permits } = queue(rateLimiterOf(handClock(), "a"), 5, { concurrency: 2 });
  await turn();
  assert.deepEqual(passed, [0, 1]);
  permits[1].release();
  permits[1].release();
  await turn();
  assert.deepEqual(passed, [0, 1, 2], "what is given back twice counts once");
  permits[0].release();
  permits[2].release();
  await turn();
  assert.deepEqual(passed, [0, 1, 2, 3, 4]);
});

test("no minute has more beginnings than allowed, whenever it begins", async () => {
  const clock = handClock();
  const limiter = rateLimiterOf(clock, "a");
  const bounds = { requestsPerMinute: 2 };
  const first = queue(limiter, 1, bounds);
  await clock.pass(40_000);
  const { passed } = queue(limiter, 4, bounds);
  await turn();
  assert.deepEqual([first.passed, passed], [[0], [0]]);
  await clock.pass(19_999);
  assert.deepEqual(passed, [0]);
  await clock.pass(1);
  assert.deepEqual(passed, [0, 1]);
  await clock.pass(39_999);
  assert.deepEqual(passed, [0, 1]);
  await clock.pass(1);
  assert.deepEqual(passed, [0, 1, 2]);
  await clock.pass(60_000);
  assert.deepEqual(passed, [0, 1, 2, 3]);
  assert.equal(clock.sleepers, 0, "nobody waits any more");
});

test("a rate limiter that was closed opens by itself", async () => {
  const clock = handClock();
  const limiter = rateLimiterOf(clock, "a");
  const { passed, permits } = queue(limiter, 3, { concurrency: 2 });
  await turn();
  permits[0].shut(500);
  permits[0].shut(100);
  permits[0].release();
  await clock.pass(499);
  assert.deepEqual(passed, [0, 1]);
  await clock.pass(1);
  assert.deepEqual(passed, [0, 1, 2]);
});

test("no word of an endpoint holds others for longer than a minute", async () => {
  const clock = handClock();
  const limiter = rateLimiterOf(clock, "a");
  const { passed, permits } = queue(limiter, 2, { concurrency: 1 });
  await turn();
  permits[0].shut(3_000_000);
  permits[0].release();
  await clock.pass(59_999);
  assert.deepEqual(passed, [0]);
  await clock.pass(1);
  assert.deepEqual(passed, [0, 1]);
});

test("who gives up leaves the row, and no timer behind", async () => {
  const clock = handClock();
  const limiter = rateLimiterOf(clock, "a");
  const controller = new AbortController();
  const { passed, permits } = queue(limiter, 1, { requestsPerMinute: 1 });
  const waiting = limiter.admit({ requestsPerMinute: 1 }, controller.signal);
  await turn();
  assert.equal(clock.sleepers, 1);
  controller.abort(new Error("no longer"));
  assert.equal((await rejection(waiting)).message, "no longer");
  assert.equal(clock.sleepers, 0);
  // One in front that needs more room keeps the others waiting only as long as it is there.
  permits[0].release();
  const [narrow, wide] = [new AbortController(), new AbortController()];
  const behind = queue(limiter, 1, { concurrency: 5 });
  const first = queue(limiter, 1, { concurrency: 1 }, [narrow.signal]);
  const last = queue(limiter, 1, { concurrency: 5 }, [wide.signal]);
  await turn();
  assert.deepEqual([passed, behind.passed, first.passed, last.passed], [[0], [0], [], []]);
  narrow.abort();
  await turn();
  assert.deepEqual([first.passed, last.passed], [[], [0]]);
  assert.equal((await rejection(limiter.admit({}, AbortSignal.abort(new Error("too late"))))).message, "too late");
});

test("each endpoint and each clock has its own rate limiter", async () => {
  const clock = handClock();
  assert.equal(rateLimiterOf(clock, "a"), rateLimiterOf(clock, "a"));
  assert.notEqual(rateLimiterOf(clock, "a"), rateLimiterOf(clock, "b"));
  assert.notEqual(rateLimiterOf(clock, "a"), rateLimiterOf(handClock(), "a"));
});

test("a clock that does not work is reported to all who wait", async () => {
  const broken = { now: () => 0, sleep: () => { throw new Error("no time"); } };
  const limiter = rateLimiterOf(broken, "a");
  await limiter.admit({ requestsPerMinute: 1 }, new AbortController().signal);
  const error = await rejection(limiter.admit({ requestsPerMinute: 1 }, new AbortController().signal));
  assert.equal(error.code, "validation");
  assert.match(error.message, /the option `clock` does not work: it failed while a request waited/);
  assert.equal(error.cause.message, "no time");
  const silent = rateLimiterOf({ now: () => { throw new Error("no clock"); } }, "a");
  assert.equal((await rejection(silent.admit({}, new AbortController().signal))).cause.message, "no clock");
});

test("a clock whose sleep does not advance it is reported instead of looked at for ever", async () => {
  const limiter = rateLimiterOf({ now: () => 0, sleep: async () => {} }, "a");
  for (let time = 0; time < 2; time += 1) {
    const admitted = Array.from({ length: 2 - time }, () => limiter.admit({ requestsPerMinute: 1 }, new AbortController().signal));
    const error = await rejection(admitted.at(-1));
    assert.match(error.message, /the option `clock` does not work: sleep\(\) ends, and now\(\) does not advance/);
  }
  let now = 0;
  const small = rateLimiterOf({ now: () => now, sleep: async () => void (now += 1) }, "a");
  for (let time = 0; time < 2; time += 1) await small.admit({ requestsPerMinute: 1 }, new AbortController().signal);
  assert.equal(now, 60_000, "one that wakes early is looked at again");
});
