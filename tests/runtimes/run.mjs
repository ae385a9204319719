// Runs the scenarios through the packed package, on every runtime:
//
//   node tests/runtimes/run.mjs <tarball> [filter]
//
// The filter is a part of the name of a runtime or of a scenario. UPDATE_SCENARIOS=1 writes what is expected of the
// scenarios that only the package can run (those with `onlyPackage`) from what Node gives.
import { performance } from "node:perf_hooks";
import { browsers } from "../browsers/browsers.mjs";
import { differences } from "./difference.mjs";
import { startEndpoint } from "./hosts/endpoint.mjs";
import { hintInPage, plainPage, vitePage, webPage } from "./hosts/page.mjs";
import { bun, deno, nodeImport, nodeRequire } from "./hosts/process.mjs";
import { workerd } from "./hosts/workerd.mjs";
import { install } from "./place.mjs";
import { read, write } from "./scenarios.mjs";

const RUNTIMES = {
  "node import": nodeImport,
  "node require": nodeRequire,
  deno,
  bun,
  workerd,
  ...Object.fromEntries(
    browsers.flatMap((browser) => [
      [`${browser.name} plain`, plainPage(browser)],
      [`${browser.name} plain /web`, webPage(browser)],
      [`${browser.name} vite`, vitePage(browser)],
    ]),
  ),
};

/** The runtime that writes what is expected. */
const AUTHOR = "node import";

async function main([tarball, filter = ""]) {
  if (tarball === undefined) throw new Error("say which package: node tests/runtimes/run.mjs <tarball> [filter]");
  const named = Object.keys(RUNTIMES).filter((name) => name.includes(filter));
  const runtimes = named.length > 0 ? named : Object.keys(RUNTIMES);
  const scenarios = await read(named.length > 0 ? "" : filter);
  if (scenarios.length === 0) throw new Error(`no runtime and no scenario has \`${filter}\` in its name`);
  const endpoint = await startEndpoint();
  const { origin, nowhere } = endpoint;
  const entries = [{ name: "smoke" }, { name: "decorators" }, { name: "read-only" }, { name: "network", endpoint: { origin, nowhere } }, ...scenarios];
  const { folder, remove } = await install(tarball, entries);
  const count = { passed: 0, failed: 0 };
  try {
    const reports = new Map();
    for (const name of runtimes) {
      const { missing } = RUNTIMES[name];
      if (missing) {
        console.log(`skip ${name.padEnd(20)} ${missing}`);
        continue;
      }
      const { passed, failed, failures, seconds } = await runOn(name, { folder, entries, origins: [origin, nowhere] });
      count.passed += passed;
      count.failed += failed;
      console.log(`${failed === 0 ? "ok  " : "FAIL"} ${name.padEnd(20)} ${passed} of ${entries.length} in ${seconds} s`);
      for (const failure of failures) report(failure, name, reports);
    }
  } finally {
    await remove();
    await endpoint.close();
  }
  console.log(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0;
}

async function runOn(name, place) {
  const began = performance.now();
  const outcomes = new Map();
  let crash;
  try {
    for await (const outcome of RUNTIMES[name](place)) outcomes.set(outcome.name, outcome);
  } catch (error) {
    crash = error.message;
  }
  const failures = [];
  let unanswered = 0;
  for (const { name: entry, scenario } of place.entries) {
    const outcome = outcomes.get(entry);
    if (outcome === undefined) {
      unanswered += 1;
      continue;
    }
    if (name === AUTHOR && process.env.UPDATE_SCENARIOS !== undefined) await update(entry, scenario, outcome);
    const faults = [...outcome.faults, ...mismatches(scenario, outcome)];
    if (faults.length > 0) failures.push({ title: `${entry}${scenario === undefined ? "" : `: ${scenario.title}`}`, faults });
  }
  const passed = place.entries.length - failures.length - unanswered;
  // A runtime that fails as such fails, also when every scenario went well.
  if (crash !== undefined) failures.push({ title: "the runtime itself", faults: [crash] });
  if (unanswered > 0) failures.push({ title: `${unanswered} scenarios got no answer`, faults: [] });
  const failed = Math.max(place.entries.length - passed, failures.length);
  return { passed, failed, failures, seconds: ((performance.now() - began) / 1000).toFixed(1) };
}

function mismatches(scenario, { observed, where }) {
  if (scenario === undefined || observed === undefined) return [];
  const expected = where === undefined ? scenario.expect : inPage(scenario.expect, where.origin);
  return [...differences(expected, observed)];
}

/** Where pages know less, they say more. */
function inPage(expected, origin) {
  return JSON.parse(JSON.stringify(expected, (key, value) => (key === "hint" ? hintInPage(value, origin) : value)));
}

async function update(name, scenario, { observed, faults }) {
  if (scenario?.onlyPackage === undefined || faults.length > 0) return;
  if ([...differences(scenario.expect, observed)].length === 0) return;
  scenario.expect = observed;
  await write(name, scenario);
}

/** What is wrong on several runtimes in the same way is reported once. */
function report({ title, faults }, runtime, reports) {
  const text = faults.join("\n").replaceAll("\n", "\n    ");
  const key = `${title}\n${text}`;
  const known = reports.get(key);
  console.log(known === undefined ? `  ${title}\n    ${text}` : `  ${title} (as on ${known})`);
  if (known === undefined) reports.set(key, runtime);
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
