// What the builder's canvas costs, next to React Flow as documented, tuned, and tuned with a form and a database. Called by `cargo xtask bench canvas`.
//   node tests/bench/canvas.mjs [--sizes 100,1000,5000] [--throttle 1,4] [--rounds 3] [--json FILE]
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chromium } from "../browsers/browsers.mjs";
import { measureAll } from "./canvas/acts.mjs";
import { Meter } from "./canvas/meter.mjs";
import { addressOf, FIRST as FIRST_NODE, ReactFlow } from "./canvas/pages/react-flow.mjs";
import { FIRST as FIRST_CARD, keep, positions, Stepweave } from "./canvas/pages/stepweave.mjs";
import { PACE_MS, serve } from "./canvas/server.mjs";
import { rowsOf } from "./canvas/rows.mjs";
import { edgesOf, workflowOf } from "./canvas/workflow.mjs";
import { machine } from "./machine.mjs";
import { printCanvas, printVersions } from "./print.mjs";
import { inRounds } from "./rounds.mjs";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "100,1000,5000" },
    throttle: { type: "string", default: "1,4" },
    rounds: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const numbers = (text) => text.split(",").map(Number);

const WINDOW = { width: 1440, height: 900 };
/** Each by what its address says; the builder has one page. */
const WAYS = { Stepweave: undefined, "React Flow editor": "editor", "React Flow tuned": "tuned", "React Flow": "plain" };
const CONTENDERS = Object.keys(WAYS);

const graphs = new Map();
const server = await serve(graphs);
try {
  const report = { versions: versions(), machine: machine(), rows: [] };
  printVersions(report);
  for (const size of numbers(options.sizes)) {
    const workflow = workflowOf(size, server.endpoints);
    const graph = await graphOf(workflow);
    graphs.set(String(size), graph);
    for (const throttle of numbers(options.throttle)) {
      const rounds = await inRounds(Number(options.rounds), CONTENDERS, (name) => session(name, { size, workflow, graph, throttle }));
      const rows = rowsOf({ size, throttle }, CONTENDERS, rounds);
      printCanvas({ size, throttle }, rows);
      report.rows.push(...rows);
    }
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
} finally {
  server.stop();
}

/** A browser of its own, in which one contender does everything. */
async function session(name, { size, workflow, graph, throttle }) {
  return inBrowser(async (context) => {
    const address = name === "Stepweave" ? server.origin : addressOf(server.origin, size, WAYS[name]);
    // The first visit, after which the builder has the workflow, and both have their files in the browser's cache.
    const before = await context.newPage();
    await (name === "Stepweave" ? keep(before, server.origin, workflow) : before.goto(address));
    await before.close();

    const page = await context.newPage();
    const meter = await Meter.of(page, throttle);
    const own = name === "Stepweave" ? new Stepweave(page) : new ReactFlow(page);
    const load = await meter.load(address, name === "Stepweave" ? FIRST_CARD : FIRST_NODE);
    return { load, ...(await measureAll(page, meter, own, { graph, targets: targetsOf(workflow) })) };
  });
}

/** What React Flow shows, at the builder's own places. */
async function graphOf(workflow) {
  const edges = edgesOf(workflow);
  const ids = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const { cards, viewport: { box, ...viewport } } = await inBrowser(async (context) => {
    const page = await context.newPage();
    await page.addInitScript(Meter.watch);
    await keep(page, server.origin, workflow);
    return positions(page, ids.size);
  });
  const running = cards.filter(({ id }) => inLanes(workflow, id)).map(({ id }) => id);
  const lanes = running.filter((id) => !edges.some(({ source, target }) => source === id && running.includes(target)));
  return { cards, edges, viewport, box, running, lanes, paceMs: PACE_MS };
}

/** The lanes are the first step. */
function inLanes({ steps: [first] }, id) {
  return JSON.stringify(first).includes(`"id":"${id}"`);
}

/** What is acted upon: two neighbours in the middle of the workflow, and the lanes that stream. */
function targetsOf({ steps }) {
  const middle = steps.findIndex(({ type }, index) => index >= steps.length / 2 && type === "wait");
  return { first: steps[middle].id, second: (steps[middle + 1] ?? steps[middle - 4]).id, lanes: steps[0].id };
}

async function inBrowser(act) {
  const browser = await chromium.launch();
  try {
    return await act(await browser.newContext({ viewport: WINDOW }));
  } finally {
    await browser.close();
  }
}

function versions() {
  const of = (name) => JSON.parse(readFileSync(new URL(`canvas/peers/node_modules/${name}/package.json`, import.meta.url), "utf8"));
  return ["@xyflow/react", "react"].map((name) => ({ name, version: of(name).version }));
}
