// Bundles the entries into dist/. What the Rust side gives is in generated/: `cargo xtask build pkg` writes it first.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode, encode as encodeMappings } from "@jridgewell/sourcemap-codec";
import { build } from "esbuild";
import { buildInFewFiles } from "./chunks.mjs";
import { encode } from "./encode.mjs";
import { sandboxNotice, sandboxParts, sandboxWasm } from "./sandbox.mjs";

/** A relative import in a declaration file. */
const SPECIFIER = /(from "|import\(")(\.{1,2}\/[^"]+)\.js"/g;

/** An import of a file whose name is computed, and what says to bundlers that they need not look for it. */
const COMPUTED = /(\bimport\()([\w$]+)(\))/g;
const NOT_LOOKED_INTO = "/* webpackIgnore: true *//* @vite-ignore */";

/** What `package.json` leads to. */
const DECLARED = ["index", ...["functions/index", "reasoning", "worker", "wasm", "stores", "stores-node", "testing", "ui", "http", "durable", "mcp", "mcp-server", "openapi", "files", "otel", "log", "sandbox", "types"].map((name) => `entries/${name}`)].map((name) => `${name}.d.ts`);

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const generated = join(here, "generated");
// Everything is made beside dist/ and put in its place at once: whoever imports it meanwhile finds it whole.
const next = join(generated, "next");
const last = join(generated, "last");

/** The builds of the engine: all of it, and one for workflows of functions alone. */
const ENGINES = ["stepweave", "stepweave_functions"];

for (const name of ENGINES.flatMap((engine) => [`${engine}_glue.js`, `${engine}_bg.wasm`])) {
  if (!existsSync(join(generated, name))) {
    console.error(`pkg/generated/${name} is missing: run \`cargo xtask build pkg\`, which makes it and calls this script`);
    process.exit(1);
  }
}

const interpreter = sandboxWasm(generated);
const engines = Object.fromEntries(ENGINES.map((name) => [name, readFileSync(join(generated, `${name}_bg.wasm`))]));

/** What carries out the operations of a run, and the modules of it that only agents, their tools and requests need. */
const OPERATIONS = join("ts", "run", "operations.ts");
const FOR_AGENTS = /\/(corrections|exchanges|model-stream|network|rate-limiter|servers|stored-bytes)\.js$/;

/** The generated parts with this build of the engine, by the names under which the sources import them. */
const partsWith = (name) => ({
  name: "generated parts",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^#glue$/ }, () => ({ path: join(generated, `${name}_glue.js`) }));
    onResolve({ filter: /^#engine-text$/ }, ({ path }) => ({
      path,
      namespace: "generated",
      // Pure data: an entry that does not use it must not load it.
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace: "generated" }, () => {
      const values = Object.entries(encode(engines[name]));
      return { contents: values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join("\n") };
    });
    // Neither an entry nor a Worker, which is one file and holds what others load on use, carries what no workflow of functions needs.
    if (name === "stepweave_functions") onResolve({ filter: FOR_AGENTS }, ({ importer }) => (importer.endsWith(OPERATIONS) ? { path: join(here, "ts/entries/functions/unneeded.ts") } : undefined));
    onResolve({ filter: /^#engine-wasm(\?module)?$/ }, ({ path }) => ({ path: path.replace("#engine-wasm", `./${name}_bg.wasm`), external: true }));
  },
});

/** Libraries whose source maps lead to sources that are nowhere in them: what they ship is their source here. */
const WITHOUT_SOURCES = /node_modules[\\/](?:dom[a-z-]*|entities|htmlparser2|js-yaml)[\\/].*\.m?js$/;
const ownSources = {
  name: "own sources",
  setup({ onLoad }) {
    onLoad({ filter: WITHOUT_SOURCES }, ({ path }) => ({ contents: readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "") }));
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  target: "es2022",
  platform: "neutral",
  external: ["node:*", "@opentelemetry/api", "@modelcontextprotocol/*", "unpdf"],
  // What this one names for programs that are no modules cannot be bundled.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  // Source maps lie beside the files and carry the sources, so that a stack trace can be read.
  minify: true,
  // Node shows the whole line of an error that nobody caught: none may fill a screen.
  lineLimit: 500,
  sourcemap: "linked",
  sourcesContent: true,
  legalComments: "none",
  write: false,
  logLevel: "warning",
};

for (const folder of [next, last]) rmSync(folder, { recursive: true, force: true });
mkdirSync(next);

/** Bundles entries over one build of the engine. */
const over = (engine) => ({ ...common, plugins: [partsWith(engine), sandboxParts(here, interpreter), ownSources] });
const bundle = (engine, options) => build({ ...over(engine), ...options });
/** Whichever of these entries a program imports, they share their chunks. */
const modules = (engine, main, entryPoints) => buildInFewFiles(main, { ...over(engine), outdir: dist, format: "esm", entryPoints });

const bundles = await Promise.all([
  // The slim one is what all main entries have: it does not find the engine.
  modules("stepweave", "entry-slim.js", {
    "entry-inline": "ts/entries/inline.ts",
    "entry-web": "ts/entries/web.ts",
    "entry-workerd": "ts/entries/workerd.ts",
    "entry-edge": "ts/entries/edge.ts",
    "entry-slim": "ts/entries/slim.ts",
    reasoning: "ts/entries/reasoning.ts",
    "reasoning-workerd": "ts/entries/reasoning-workerd.ts",
    "reasoning-edge": "ts/entries/reasoning-edge.ts",
    worker: "ts/entries/worker.ts",
    stores: "ts/entries/stores.ts",
    "stores-node": "ts/entries/stores-node.ts",
    testing: "ts/entries/testing.ts",
    ui: "ts/entries/ui.ts",
    http: "ts/entries/http.ts",
    durable: "ts/entries/durable.ts",
    mcp: "ts/entries/mcp.ts",
    "mcp-server": "ts/entries/mcp-server.ts",
    openapi: "ts/entries/openapi.ts",
    files: "ts/entries/files.ts",
    otel: "ts/entries/otel.ts",
    log: "ts/entries/log.ts",
    types: "ts/entries/types.ts",
    cli: "ts/entries/cli.ts",
    sandbox: "ts/entries/sandbox-inline.ts",
    "sandbox-workerd": "ts/entries/sandbox-workerd.ts",
    "sandbox-edge": "ts/entries/sandbox-edge.ts",
  }),
  // A graph of its own: its engine never is the one of a program that also imports another entry.
  modules("stepweave_functions", "functions-slim.js", {
    "functions-inline": "ts/entries/functions/inline.ts",
    "functions-web": "ts/entries/functions/web.ts",
    "functions-workerd": "ts/entries/functions/workerd.ts",
    "functions-edge": "ts/entries/functions/edge.ts",
    "functions-slim": "ts/entries/functions/slim.ts",
  }),
  // A page of its own, which is copied out of here: it shares nothing with others.
  bundle("stepweave", { format: "esm", entryPoints: ["ts/entries/mcp-callback.ts"], outfile: join(dist, "mcp-callback.js") }),
  // In CommonJS nothing is shared between bundles: there is one, and an entry is a part of it.
  bundle("stepweave", { format: "cjs", entryPoints: ["ts/entries/common.ts"], outfile: join(dist, "common.cjs") }),
  ...Object.entries({ index: "main", reasoning: "reasoning" }).map(([name, part]) =>
    bundle("stepweave", {
      format: "cjs",
      external: ["./common.cjs"],
      stdin: { contents: `module.exports = require("./common.cjs").${part};`, sourcefile: `${name}.cjs`, resolveDir: here },
      outfile: join(dist, `${name}.cjs`),
    }),
  ),
]);
const metafiles = bundles.flatMap(({ metafile }) => metafile ?? []);
writeFileSync(join(next, "meta.json"), JSON.stringify({ outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)) }, null, 1));

const written = new Map(bundles.flatMap(({ outputFiles }) => outputFiles).map(({ path, text }) => [basename(path), text]));
for (const [name, text] of written) {
  if (name.endsWith(".map")) writeFileSync(join(next, name), withoutBinaries(movedWith(written.get(name.slice(0, -".map".length)), text)));
  else writeFileSync(join(next, name), /\.c?js$/.test(name) ? notLookedInto(text) : text);
}
for (const [name, bytes] of Object.entries(engines)) writeFileSync(join(next, `${name}_bg.wasm`), bytes);
copyFileSync(interpreter, join(next, "stepweave_sandbox.wasm"));
copyFileSync(join(here, "ts/entries/mcp-callback.html"), join(next, "mcp-callback.html"));
writeFileSync(join(next, "sandbox-LICENSE.txt"), sandboxNotice());
const schema = join(here, "schema", "workflow.schema.json");
if (existsSync(schema)) copyFileSync(schema, join(next, "workflow.schema.json"));
else console.error("pkg/schema/workflow.schema.json is missing: `cargo xtask schema` writes it; stepweave/schema is left out");

writeDeclarations();
writeDocs();

if (existsSync(dist)) renameSync(dist, last);
renameSync(next, dist);
rmSync(last, { recursive: true, force: true });

/** A source map, in which what is no text of a person, such as a binary written as text, has a line in its place. */
function withoutBinaries(text) {
  const map = JSON.parse(text);
  const isMade = (source) => /^(generated|sandbox):/.test(source);
  map.sourcesContent = map.sourcesContent.map((content, index) => (isMade(map.sources[index]) ? "// made when the package was built\n" : content));
  // Of a library, where it is in its own package.
  map.sources = map.sources.map((source) => source.replace(/^.*node_modules\//, ""));
  return JSON.stringify(map);
}

/** The documents that README.md leads to. What they link to in the rest of the repository is no link here. */
function writeDocs() {
  const docs = join(here, "docs");
  rmSync(docs, { recursive: true, force: true });
  mkdirSync(docs);
  const whole = join(here, "..", "docs");
  const names = readdirSync(whole).filter((name) => name.endsWith(".md") && name !== "seeds.md");
  for (const name of names) {
    const text = readFileSync(join(whole, name), "utf8");
    const isHere = (target) => /^(https?:|#)/.test(target) || names.includes(target.split("#")[0]);
    writeFileSync(join(docs, name), text.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words, target) => (isHere(target) ? link : words)));
  }
}

/**
 * An import of a file whose name is computed says to bundlers that they need not look for it, or each of them would warn
 * of it: minifying has taken away the comments that say so.
 */
function notLookedInto(program) {
  return program.replace(COMPUTED, (_, before, name, after) => before + NOT_LOOKED_INTO + name + after);
}

/** The source map of a program before these words came into it, moved along with what stands behind them. */
function movedWith(program, text) {
  const map = JSON.parse(text);
  const lines = decode(map.mappings);
  for (const [index, line] of program.split("\n").entries()) {
    const places = [...line.matchAll(COMPUTED)].map((found) => found.index + found[1].length);
    for (const segment of lines[index] ?? []) segment[0] += places.filter((place) => place <= segment[0]).length * NOT_LOOKED_INTO.length;
  }
  return JSON.stringify({ ...map, mappings: encodeMappings(lines) });
}

/** The declarations that the entries lead to. Those of entries that have a script for `require` are there twice: what that reads must say that it is CommonJS. */
function writeDeclarations() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", join(here, "tsconfig.json"), "--outDir", next], { stdio: "inherit" });
  const reachable = new Set(DECLARED.flatMap((file) => [...reachableFrom(file)]));
  for (const file of readdirSync(next, { recursive: true })) {
    if (file.endsWith(".d.ts") && !reachable.has(file)) rmSync(join(next, file));
  }
  for (const file of new Set(["index.d.ts", "entries/reasoning.d.ts"].flatMap((first) => [...reachableFrom(first)]))) {
    const text = readFileSync(join(next, file), "utf8").replaceAll(SPECIFIER, (_, before, path) => `${before}${path}.cjs"`);
    writeFileSync(join(next, file.replace(/\.d\.ts$/, ".d.cts")), text);
  }
}

/** Declaration files that this one leads to, itself included. */
function reachableFrom(first) {
  const found = new Set([first]);
  for (const file of found) {
    for (const [, , path] of readFileSync(join(next, file), "utf8").matchAll(SPECIFIER)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}
