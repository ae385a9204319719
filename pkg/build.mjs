// Bundles the entries into dist/. What the Rust side gives is in generated/: `cargo xtask build pkg` writes it first.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A relative import in a declaration file. */
const SPECIFIER = /(")(\.{1,2}\/[^"]+)\.js"/g;

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const generated = join(here, "generated");

for (const name of ["glue.js", "wasm-base64.js", "stepweave_bg.wasm"]) {
  if (!existsSync(join(generated, name))) {
    console.error(`pkg/generated/${name} is missing: run \`cargo xtask build pkg\`, which makes it and calls this script`);
    process.exit(1);
  }
}

/** The generated parts, by the names under which the sources import them. */
const parts = {
  name: "generated parts",
  setup({ onResolve }) {
    onResolve({ filter: /^#glue$/ }, () => ({ path: join(generated, "glue.js") }));
    // Pure data: an entry that does not use it must not load it.
    onResolve({ filter: /^#base64$/ }, () => ({ path: join(generated, "wasm-base64.js"), sideEffects: false }));
    onResolve({ filter: /^#wasm(\?module)?$/ }, ({ path }) => ({
      path: path.replace("#wasm", "./stepweave_bg.wasm"),
      external: true,
    }));
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  target: "es2022",
  platform: "neutral",
  // Names stay, so that a stack trace can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
  plugins: [parts],
};

emptyFolder(dist);

const { metafile } = await build({
  ...common,
  entryPoints: {
    "entry-inline": "ts/entries/inline.ts",
    "entry-web": "ts/entries/web.ts",
    "entry-workerd": "ts/entries/workerd.ts",
    "entry-edge": "ts/entries/edge.ts",
    "entry-slim": "ts/entries/slim.ts",
    worker: "ts/worker.ts",
  },
  outdir: dist,
  format: "esm",
  // Shared chunks: whichever entries a program imports, there is one engine.
  splitting: true,
  chunkNames: "chunk-[hash]",
  metafile: true,
});
writeFileSync(join(dist, "meta.json"), JSON.stringify(metafile, null, 1));

await build({ ...common, entryPoints: ["ts/entries/inline.ts"], outfile: join(dist, "index.cjs"), format: "cjs" });

copyFileSync(join(generated, "stepweave_bg.wasm"), join(dist, "stepweave_bg.wasm"));
const schema = join(here, "schema", "workflow.schema.json");
if (existsSync(schema)) copyFileSync(schema, join(dist, "workflow.schema.json"));
else console.error("pkg/schema/workflow.schema.json is missing: `cargo xtask schema` writes it; stepweave/schema is left out");

writeDeclarations();

/** The declarations that the entries lead to. Those of the main entry are there twice: what `require` reads must say that it is CommonJS. */
function writeDeclarations() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", join(here, "tsconfig.json")], { stdio: "inherit" });
  const told = new Set(["index.d.ts", "worker.d.ts", "wasm.d.ts"].flatMap((file) => [...reachableFrom(file)]));
  for (const file of readdirSync(dist, { recursive: true })) {
    if (file.endsWith(".d.ts") && !told.has(file)) rmSync(join(dist, file));
  }
  for (const file of reachableFrom("index.d.ts")) {
    const text = readFileSync(join(dist, file), "utf8").replaceAll(SPECIFIER, (_, quote, path) => `${quote}${path}.cjs"`);
    writeFileSync(join(dist, file.replace(/\.d\.ts$/, ".d.cts")), text);
  }
}

/** Declaration files that this one leads to, itself included. */
function reachableFrom(first) {
  const found = new Set([first]);
  for (const file of found) {
    for (const [, , path] of readFileSync(join(dist, file), "utf8").matchAll(SPECIFIER)) {
      found.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}

function emptyFolder(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}
