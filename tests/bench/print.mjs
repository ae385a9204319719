// The measured rows as tables on the terminal.
import { short, table } from "./table.mjs";

export function printVersions({ versions, machine }) {
  const asks = (node) => (node === undefined ? "" : ` (asks for Node ${node})`);
  console.log(versions.map(({ name, version, node }) => `${name} ${version}${asks(node)}`).join("\n"));
  console.log(`Node ${machine.node}, V8 ${machine.v8}, ${machine.system}, ${machine.processor}`);
}

export function printLatency(rows) {
  const names = Object.keys(rows[0].p50Us);
  const others = names.filter((name) => name !== "Stepweave");
  heading("Latency", "p50 of one run at a time, in microseconds; then how many times that of Stepweave");
  console.log(table(
    ["workflow", "handlers", ...names, ...others.map((name) => `${name} /`)],
    rows.map(({ workflow, handlers, p50Us, timesStepweave }) => [
      workflow, handlers, ...names.map((name) => short(p50Us[name])), ...others.map((name) => `${short(timesStepweave[name])}x`),
    ]),
  ));
}

export function printThroughput(rows) {
  const names = Object.keys(rows[0].runsPerSecond);
  const others = names.filter((name) => name !== "Stepweave");
  heading("Throughput", "runs a second with so many at once; then how many times that Stepweave manages");
  console.log(table(
    ["workflow", "handlers", "at once", ...names, ...others.map((name) => `/ ${name}`)],
    rows.map(({ workflow, handlers, concurrency, runsPerSecond, stepweaveTimes }) => [
      workflow, handlers, concurrency, ...names.map((name) => short(runsPerSecond[name])), ...others.map((name) => `${short(stepweaveTimes[name])}x`),
    ]),
  ));
}

export function printHeap(rows) {
  const names = Object.keys(rows[0].heldBytes);
  const parts = [
    ["allocatedBytes", "allocated by a run"],
    ["heldBytes", "held with its result"],
    ["leftBytes", "left without its result"],
  ];
  heading("Heap growth", "bytes a run; LangGraph.js keeps neither results of steps nor events");
  console.log(table(
    ["workflow", "handlers", "bytes", ...names],
    rows.flatMap((row) => parts.map(([part, what]) => [row.workflow, row.handlers, what, ...names.map((name) => Math.round(row[part][name]).toLocaleString("en"))])),
  ));
}

export function printWideState(rows) {
  heading("State size", "100 function steps that each change one key; the state is the workflow's, or given to each run and copied");
  console.log(table(
    ["contender", "state", "whose", "p50 us", "over 1 KB"],
    rows.map(({ contender, state, given, p50Us, timesSmall }) => [contender, state, given ? "given" : "the workflow's", short(p50Us), `${short(timesSmall)}x`]),
  ));
}

export function printLength(rows) {
  heading("Length", "the first run makes the plan too; linear is 1x");
  console.log(table(
    ["how many", "of what", "first run ms", "later run ms", "us each", "each, over 1,000"],
    rows.map(({ kind, size, firstMs, runMs, perStepUs, timesShortest }) => [
      size.toLocaleString("en"), kind, short(firstMs), short(runMs), short(perStepUs), `${short(timesShortest)}x`,
    ]),
  ));
}

export function printTargets(targets) {
  heading("Targets", "reported, not enforced: times depend on the machine");
  console.log(table(
    ["target", "what", "worst to best", "met"],
    targets.map(({ target, what, met, of, lowest, highest }) => [
      target, what, of === 1 ? `${short(lowest.times)}x` : `${short(lowest.times)}x (${lowest.of}) to ${short(highest.times)}x (${highest.of})`, `${met} of ${of}`,
    ]),
  ));
}

export function printWorkers(rows) {
  heading("Workers", "minified and packed by gzip, with what is loaded on use; milliseconds from the start of workerd");
  console.log(table(
    ["library", "the Worker", "KB", "ready ms", "first answer ms"],
    rows.map(({ name, does, kilobytes, readyMs, firstMs }) => [name, does, short(kilobytes), short(readyMs), short(firstMs)]),
  ));
}

export function printStreams(rows) {
  heading("Streaming", "milliseconds of the processor for an answer of 10,000 pieces, then how many times those of Stepweave");
  console.log(table(
    ["library", "ms", "times"],
    rows.map(({ name, cpuMs, timesStepweave }) => [name, short(cpuMs), `${short(timesStepweave)}x`]),
  ));
}

export function printMemories(rows) {
  heading("Memory", "bytes a run: 1,000 in the middle of a step, 10,000 that wait for a person, kept in memory");
  console.log(table(
    ["library", "in a step", "waiting"],
    rows.map(({ name, liveBytes, waitingBytes }) => [name, Math.round(liveBytes).toLocaleString("en"), Math.round(waitingBytes).toLocaleString("en")]),
  ));
}

export function printDurables(rows) {
  heading("Steps that outlive their process", "milliseconds that a step adds to a run, in workerd under Miniflare and behind a Restate server");
  console.log(table(
    ["where", "ms"],
    rows.map(({ name, stepMs }) => [name, short(stepMs)]),
  ));
}

export function printCanvas({ size, throttle }, rows) {
  const names = Object.keys(rows[0].cpuMs);
  const others = names.slice(1);
  const or = (value, form = short) => (value === undefined ? "" : form(value));
  const frames = ({ p50Ms, p95Ms }, name) => (p50Ms[name] === undefined ? "" : `${Math.round(p50Ms[name])}/${Math.round(p95Ms[name])}`);
  heading(`${size.toLocaleString("en")} steps, the processor ${throttle === 1 ? "as it is" : `${throttle} times slower`}`, "milliseconds of the main thread for each act; frames p50/p95; long tasks");
  console.log(table(
    ["act", ...names, ...others.map((name) => `/ ${name}`), ...names.map((name) => `frames ${name}`), ...names.map((name) => `long ${name}`)],
    rows.map((row) => [
      row.act, ...names.map((name) => or(row.cpuMs[name])), ...others.map((name) => or(row.times[name], (times) => `${short(times)}x`)),
      ...names.map((name) => frames(row, name)), ...names.map((name) => or(row.longMs[name], (ms) => `${Math.round(ms)}`)),
    ]),
  ));
}

function heading(title, what) {
  console.log(`\n${title}: ${what}\n`);
}
