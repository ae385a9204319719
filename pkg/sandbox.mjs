// What the sandbox of code steps is built of: QuickJS as wasm, counted; the glue around it; and the guest's program.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { encode } from "./encode.mjs";
import { meter } from "./meter.mjs";

/** How quickjs-emscripten links its stack, and the pages of memory that `ts/sandbox/machine.ts` begins with. */
const MEMORY = { stackBytes: 5 * 2 ** 20, pages: 128 };

const quickjs = dirname(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync"));
const gluePath = join(quickjs, "emscripten-module.browser.mjs");

/** The interpreter's binary. Making it takes seconds, so it is kept under the hash of what it is made of. */
export function sandboxWasm(folder) {
  const plain = readFileSync(join(quickjs, "emscripten-module.wasm"));
  const without = unused();
  const recipe = JSON.stringify([MEMORY, without, readFileSync(new URL("meter.mjs", import.meta.url), "utf8")]);
  const hash = createHash("sha256").update(plain).update(recipe);
  const path = join(folder, `sandbox-${hash.digest("hex").slice(0, 16)}.wasm`);
  if (!existsSync(path)) {
    for (const name of readdirSync(folder)) if (/^sandbox-\w+\.wasm$/.test(name)) rmSync(join(folder, name));
    writeFileSync(path, meter(plain, { ...MEMORY, without: new Set(without) }));
  }
  return path;
}

/** The exports, by the letters that stand for them, that `ts/sandbox/quickjs.ts` does not name. */
function unused() {
  const names = readFileSync(new URL("ts/sandbox/quickjs.ts", import.meta.url), "utf8");
  const exports = [...readFileSync(gluePath, "utf8").matchAll(/c\.(_\w+)=b\.([\w$]+)/g)];
  return exports.filter(([, name]) => !names.includes(`${name}(`)).map(([, , letters]) => letters);
}

/** What the compiler has put in, under the same terms as quickjs-emscripten. */
const TOOLCHAIN = `Emscripten:
The MIT License

Copyright (c) 2010-2014 Emscripten authors, see its AUTHORS file


musl, the C library that Emscripten contains:
The MIT License

Copyright (c) 2005-2020 Rich Felker, et al.
`;

/** The licences of what is bundled, as its makers ask for it. */
export function sandboxNotice() {
  const licence = readFileSync(join(quickjs, "..", "LICENSE"), "utf8");
  return `stepweave/sandbox contains the following software.\n\n${licence}\n\n${TOOLCHAIN}`;
}

/** The sandbox's parts, by the names under which the sources import them. */
export function sandboxParts(here, wasm) {
  return {
    name: "sandbox parts",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^#(quickjs|guest|sandbox-text)$/ }, ({ path }) => ({ path, namespace: "sandbox", sideEffects: false }));
      onResolve({ filter: /^#sandbox-wasm(\?module)?$/ }, ({ path }) => ({
        path: path.replace("#sandbox-wasm", "./stepweave_sandbox.wasm"),
        external: true,
      }));
      onLoad({ filter: /^#quickjs$/, namespace: "sandbox" }, () => ({ contents: glue(), resolveDir: join(here, "ts", "sandbox") }));
      onLoad({ filter: /^#guest$/, namespace: "sandbox" }, async () => ({ contents: await guest(here), loader: "text" }));
      onLoad({ filter: /^#sandbox-text$/, namespace: "sandbox" }, () => {
        const encoded = Object.entries(encode(readFileSync(wasm)));
        return { contents: encoded.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join("\n") };
      });
    },
  };
}

/**
 * The glue that Emscripten has made, so changed that it starts at once instead of with a promise, loads nothing by
 * itself, and sees neither the host's clock nor its language.
 */
function glue() {
  let text = readFileSync(gluePath, "utf8");
  for (const [from, to] of [
    ["async function QuickJSRaw(", "function QuickJSRaw("],
    ["ba=import.meta.url", 'ba=""'],
    ["await (async function(){", "(function(){"],
    [/if\(c\.instantiateWasm\)return new Promise\(.*?(?=\}\(\)\);\n)/s, "return a(c.instantiateWasm(d))"],
  ]) {
    if (text.split(from).length !== 2) throw new Error(`QuickJS's glue has changed: ${from} is not there once`);
    text = text.replace(from, to);
  }
  return `import { Date } from "./utc.js";\nconst globalThis = {};\n${text}`;
}

/** The guest's program as the expression of a function. */
async function guest(here) {
  const { outputFiles } = await build({
    stdin: { contents: 'export { guest as default } from "./guest.js";', resolveDir: join(here, "ts", "sandbox") },
    bundle: true,
    format: "iife",
    globalName: "made",
    target: "es2022",
    platform: "neutral",
    minify: true,
    write: false,
    logLevel: "warning",
  });
  return `(()=>{${outputFiles[0].text};return made.default})()`;
}
