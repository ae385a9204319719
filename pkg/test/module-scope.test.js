// A Worker refuses random values, timers and requests while its modules load, so no entry may need any before it is called.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";

const { exports: entries } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const names = Object.keys(entries)
  .filter((path) => !/json$|schema$|\/wasm$|\/(?:workerd|edge)$/.test(path))
  .map((path) => path.replace(/^\./, "stepweave"));

/** Imports an entry where whatever a Worker refuses at that time throws. */
const program = (name) => `
  const refused = (what) => () => { throw new Error(what + " while modules load"); };
  for (const [object, methods] of [[crypto, ["randomUUID", "getRandomValues"]], [Math, ["random"]], [AbortSignal, ["timeout"]], [globalThis, ["fetch", "setTimeout", "setInterval", "setImmediate"]]]) {
    for (const method of methods) Object.defineProperty(object, method, { value: refused(method) });
  }
  await import(${JSON.stringify(name)});
`;

for (const name of names) {
  test(`${name} needs no random values, timers or requests to load`, async () => {
    const { stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program(name)], { cwd: import.meta.dirname });
    assert.equal(stderr, "");
  });
}
