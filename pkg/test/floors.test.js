// The house of pkg/ts has floors: a file imports from its own folder and from below, and nothing imports in a circle.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** From the ground up. A folder imports from those before it, on its own floor too; `""` is index.ts. */
const FLOORS = [
  ["api"],
  ["json", "schema", "effects", "journal"],
  ["wasm", "models"],
  ["run"],
  ["authoring"],
  ["reasoning", "worker", "testing", "ui", "mcp", "files", "http", "openapi", "sandbox", "otel", "log", "cli"],
  ["durable"],
  ["", "entries"],
];
const ORDER = FLOORS.flat();

const root = fileURLToPath(new URL("../ts/", import.meta.url));

/** A file of our own behind `from`, `import` or `import(`, types among them. Bundlers do not see types, and the compiler has no interface for programs. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;

/** Every file and the files that it imports, types and files that are loaded on use among them. */
function importsOf(files) {
  const known = new Set(Object.keys(files));
  const targetOf = (file, specifier) => {
    const path = posix.join(posix.dirname(file), specifier).replace(/\.js$/, "");
    return [`${path}.ts`, `${path}.d.ts`].find((candidate) => known.has(candidate)) ?? assert.fail(`${file} imports ${specifier}, which is not there`);
  };
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const own = [...text.replace(COMMENT, "").matchAll(IMPORT)].map(([, specifier]) => specifier);
      return [file, [...new Set(own)].map((specifier) => targetOf(file, specifier))];
    }),
  );
}

const folderOf = (file) => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "");

/** The imports that lead up, or to a folder beside that comes later. */
function upward(imports) {
  return Object.entries(imports).flatMap(([file, targets]) =>
    targets.filter((target) => ORDER.indexOf(folderOf(target)) > ORDER.indexOf(folderOf(file))).map((target) => `${file} imports ${target}`),
  );
}

/** A circle of imports, if there is one. */
function circle(imports) {
  const done = new Set();
  const path = [];
  const visit = (file) => {
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const target of imports[file]) {
      const found = visit(target);
      if (found !== undefined) return found;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  return Object.keys(imports).map(visit).find((found) => found !== undefined);
}

function sources() {
  const names = readdirSync(root, { recursive: true }).map((name) => name.replaceAll("\\", "/")).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${root}${name}`, "utf8")]));
}

test("every file of pkg/ts stands on a floor, and imports from its own folder and from below", () => {
  const files = sources();
  assert.ok(Object.keys(files).length > 200, "the sources are there");
  assert.deepEqual(Object.keys(files).filter((file) => !ORDER.includes(folderOf(file))), []);
  assert.deepEqual(Object.keys(files).filter((file) => dirname(file) === "." && file !== "index.ts"), [], "only the names of the main entry lie at the root");
  assert.deepEqual(upward(importsOf(files)), []);
});

test("ARCHITECTURE.md lists the floors and their folders in this order", () => {
  const text = readFileSync(new URL("../../ARCHITECTURE.md", import.meta.url), "utf8");
  const floors = [...text.matchAll(/^ {2}\d\. (.*)$/gm)].map(([, floor]) => {
    const named = [...floor.matchAll(/`(index\.ts|[\w-]+\/)`/g)].map(([, name]) => (name === "index.ts" ? "" : name.slice(0, -1)));
    return [...new Set(named)].filter((name) => ORDER.includes(name));
  });
  assert.deepEqual(floors, FLOORS);
});

test("no files of pkg/ts import each other in a circle", () => {
  assert.equal(circle(importsOf(sources()))?.join(" → "), undefined);
});

test("an import upwards is found in whatever way it is written", () => {
  const ways = ['import { Run } from "../run/run.js";', 'import type { Run } from "../run/run.js";', 'export { Run } from "../run/run.js";', 'const later = () => import("../run/run.js");', 'type Run = import("../run/run.js").Run;', 'import "../run/run.js";'];
  for (const way of ways) assert.deepEqual(upward(importsOf({ "api/run.ts": way, "run/run.ts": "" })), ["api/run.ts imports run/run.ts"], way);
  assert.deepEqual(upward(importsOf({ "api/run.ts": 'import {\n  Run,\n  type RunStream,\n} from \'../run/run.js\';', "run/run.ts": "" })), ["api/run.ts imports run/run.ts"]);
  assert.deepEqual(upward(importsOf({ "api/run.ts": ' * import "../run/run.js";\n// import "../run/run.js";', "run/run.ts": "" })), [], "what a comment shows is no import");
  assert.deepEqual(upward(importsOf({ "effects/clock.ts": 'import "../journal/list.js";', "journal/list.ts": "" })), ["effects/clock.ts imports journal/list.ts"]);
  assert.deepEqual(upward(importsOf({ "run/run.ts": 'import "../api/run.js";\nimport "./loop.js";', "api/run.ts": "", "run/loop.ts": "" })), []);
});

test("a circle is found, and reported file by file", () => {
  const imports = importsOf({ "run/a.ts": 'import "./b.js";', "run/b.ts": 'import type { C } from "./c.js";', "run/c.ts": 'import "./a.js";', "run/d.ts": 'import "./a.js";' });
  assert.equal(circle(imports).join(" → "), "run/a.ts → run/b.ts → run/c.ts → run/a.ts");
});

test("the names of the main entry can be read at a glance, and each name of a type stands in one entry", () => {
  const files = sources();
  const namesIn = (file) => [...files[file].matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names.split(",")).map((name) => name.trim().replace(/^type /, "")).filter((name) => name !== "");
  const [main, types] = [namesIn("index.ts"), namesIn("entries/types.ts")];
  assert.ok(main.length > 100 && main.length <= 140, `${main.length} names`);
  assert.deepEqual(main.filter((name, at) => main.indexOf(name) !== at), []);
  assert.ok(types.length > 40, `${types.length} names`);
  assert.deepEqual(types.filter((name) => main.includes(name)), []);
});
