// Makes a wasm module count its own work and stop when its allowance is used up.
//
// An interpreter asks its host now and then whether to go on, but only between the steps of the program it runs.
// A single step can take forever: `Array.prototype.indexOf.call({ length: 2 ** 53 })` is one call of a function
// written in C. So every function and every turn of a loop in the machine code takes one from a counter, copying
// and filling memory takes one for each 16 bytes, and a module whose counter falls below zero traps.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const binaries = join(dirname(createRequire(import.meta.url).resolve("binaryen/package.json")), "bin");

/** The features that QuickJS is compiled with, and that every runtime has. */
const FEATURES = ["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals"];

/** The counter, and what takes from it. */
const COUNTER = `
 (global $allowance (export "allowance") (mut i64) (i64.const 0x7fffffffffffffff))
 (func $spend (param $count i64)
  (global.set $allowance (i64.sub (global.get $allowance) (local.get $count)))
  (if (i64.lt_s (global.get $allowance) (i64.const 0)) (then (unreachable))))
 (func $tick
  (global.set $allowance (i64.sub (global.get $allowance) (i64.const 1)))
  (if (i64.lt_s (global.get $allowance) (i64.const 0)) (then (unreachable))))
 (func $spending_copy (param $to i32) (param $from i32) (param $size i32)
  (call $spend (i64.extend_i32_u (i32.shr_u (local.get $size) (i32.const 4))))
  (memory.copy (local.get $to) (local.get $from) (local.get $size)))
 (func $spending_fill (param $to i32) (param $byte i32) (param $size i32)
  (call $spend (i64.extend_i32_u (i32.shr_u (local.get $size) (i32.const 4))))
  (memory.fill (local.get $to) (local.get $byte) (local.get $size)))
`;

/**
 * The module with a counter in it, which it exports as the global `allowance`, beside its stack pointer as `stack`.
 * Its memory may begin with `pages`. Its stack must have `stackBytes`, between its variables and its heap.
 * It no longer has the exports in `without`, nor what only they use.
 */
export function meter(bytes, options) {
  const folder = mkdtempSync(join(tmpdir(), "stepweave-meter-"));
  const path = (name) => join(folder, name);
  const run = (tool, ...args) => execFileSync(process.execPath, [join(binaries, tool), ...FEATURES, ...args], { stdio: ["ignore", "ignore", "inherit"] });
  try {
    writeFileSync(path("plain.wasm"), bytes);
    run("wasm-dis", path("plain.wasm"), "-o", path("plain.wat"));
    writeFileSync(path("metered.wat"), withCounter(readFileSync(path("plain.wat"), "utf8"), options));
    run("wasm-opt", path("metered.wat"), "-O2", "--always-inline-max-function-size=20", "-o", path("metered.wasm"));
    return readFileSync(path("metered.wasm"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withCounter(text, { pages, stackBytes, without }) {
  const [, stack, top] = /^ \(global (\S+) \(mut i32\) \(i32\.const (\d+)\)\)$/m.exec(text);
  const variables = [...text.matchAll(/^ \(data \S+ \(i32\.const (\d+)\)/gm)].map(([, place]) => Number(place));
  if (!variables.every((place) => place < top - stackBytes)) throw new Error(`the module's stack is not ${stackBytes} bytes below ${top}`);
  const lines = [];
  let isHeader = false;
  let hasCounter = false;
  for (const line of text.split("\n")) {
    if (without.has(/^ \(export "([^"]+)"/.exec(line)?.[1])) continue;
    if (isHeader && !line.startsWith("  (local ")) {
      lines.push("  (call $tick)");
      isHeader = false;
    }
    if (line.startsWith(" (func ")) {
      if (!hasCounter) lines.push(COUNTER, ` (export "stack" (global ${stack}))`);
      hasCounter = true;
      isHeader = true;
    }
    lines.push(
      line
        .replace(/^( \(import .* \(memory \S+) \d+/, `$1 ${pages}`)
        .replace("(memory.copy", "(call $spending_copy")
        .replace("(memory.fill", "(call $spending_fill"),
    );
    if (/^ *\(loop\b/.test(line)) lines.push("(call $tick)");
  }
  return lines.join("\n");
}
