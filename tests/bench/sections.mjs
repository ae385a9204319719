// What is measured, section by section: each gives rows of plain numbers.
import { inRounds } from "./rounds.mjs";
import { SHAPES, WIDE_SHAPES } from "./shapes.mjs";
import { median, ratio } from "./statistics.mjs";

const WARM_UP_MS = 700;
const LATENCY = { milliseconds: 100, rounds: 7 };
const THROUGHPUT = { milliseconds: 60, rounds: 3, concurrencies: [1, 10, 50, 200] };
const WIDE = { milliseconds: 40, rounds: 3, warmUpMs: 150 };
const LENGTH = { sizes: [1_000, 10_000, 100_000], rounds: 3, kinds: ["steps in a row", "members of a parallel", "items of a foreach"] };

/** One run at a time: microseconds of each contender, and what Stepweave takes less. */
export async function latencies(contenders) {
  const rows = [];
  // All shapes before the first is timed, or that one alone would be timed cold.
  for (const { id } of SHAPES) await inRounds(1, contenders, (one) => one.ask("latency", id, { milliseconds: WARM_UP_MS }));
  for (const { id, name, handlers } of SHAPES) {
    const rounds = await inRounds(LATENCY.rounds, contenders, (one) => one.ask("latency", id, LATENCY));
    const p50s = rounds.map((round) => round.map(({ p50 }) => p50));
    const own = p50s[ownPlace(contenders)];
    rows.push({
      workflow: name,
      handlers,
      p50Us: byName(contenders, (place) => median(p50s[place])),
      p99Us: byName(contenders, (place) => median(rounds[place].map(({ p99 }) => p99))),
      timesStepweave: byName(contenders, (place) => ratio(p50s[place], own)),
    });
  }
  return rows;
}

/** Many runs at a time: runs a second of each contender, and how many times more Stepweave manages. */
export async function throughputs(contenders) {
  const rows = [];
  for (const { id, name, handlers } of SHAPES) {
    for (const concurrency of THROUGHPUT.concurrencies) {
      const options = { concurrency, milliseconds: THROUGHPUT.milliseconds };
      const rounds = await inRounds(THROUGHPUT.rounds, contenders, (one) => one.ask("throughput", id, options));
      const own = rounds[ownPlace(contenders)];
      rows.push({
        workflow: name,
        handlers,
        concurrency,
        runsPerSecond: byName(contenders, (place) => median(rounds[place])),
        stepweaveTimes: byName(contenders, (place) => ratio(own, rounds[place])),
      });
    }
  }
  return rows;
}

/** Bytes a run of each contender. */
export async function heaps(contenders) {
  const rows = [];
  for (const { id, name, handlers } of SHAPES) {
    const measured = await inRounds(1, contenders, (one) => one.ask("heap", id));
    const of = (what) => byName(contenders, (place) => measured[place][0][what]);
    rows.push({ workflow: name, handlers, allocatedBytes: of("allocated"), heldBytes: of("held"), leftBytes: of("left") });
  }
  return rows;
}

/** A hundred steps over states of different sizes: microseconds, and times what the smallest takes. */
export async function wideStates(contenders) {
  const rows = [];
  for (const contender of contenders.filter(({ name }) => name === "Stepweave" || name === "plain loop")) {
    const shapes = WIDE_SHAPES.filter(({ given }) => !given || contender.name === "Stepweave");
    await inRounds(1, shapes, ({ id }) => contender.ask("latency", id, { milliseconds: WIDE.warmUpMs }));
    const rounds = await inRounds(WIDE.rounds, shapes, ({ id }) => contender.ask("latency", id, WIDE));
    const p50s = rounds.map((round) => round.map(({ p50 }) => p50));
    shapes.forEach(({ name, given }, place) => {
      const small = p50s[shapes.findIndex((shape) => shape.given === given)];
      rows.push({ contender: contender.name, state: name, given, p50Us: median(p50s[place]), timesSmall: ratio(p50s[place], small) });
    });
  }
  return rows;
}

/** Ever longer workflows: milliseconds, and what each step takes as times what it takes in the shortest. */
export async function lengths(contenders) {
  const own = contenders[ownPlace(contenders)];
  const rows = [];
  for (const kind of LENGTH.kinds) {
    await own.ask("length", undefined, { kind, size: LENGTH.sizes[0] });
    const rounds = await inRounds(LENGTH.rounds, LENGTH.sizes, (size) => own.ask("length", undefined, { kind, size }));
    LENGTH.sizes.forEach((size, place) => {
      const perStep = (at) => rounds[at].map(({ runMs }) => (runMs / LENGTH.sizes[at]) * 1000);
      rows.push({
        kind,
        size,
        firstMs: median(rounds[place].map(({ firstMs }) => firstMs)),
        runMs: median(rounds[place].map(({ runMs }) => runMs)),
        perStepUs: median(perStep(place)),
        timesShortest: ratio(perStep(place), perStep(0)),
      });
    });
  }
  return rows;
}

function ownPlace(contenders) {
  return contenders.findIndex(({ name }) => name === "Stepweave");
}

function byName(contenders, valueAt) {
  return Object.fromEntries(contenders.map(({ name }, place) => [name, valueAt(place)]));
}
