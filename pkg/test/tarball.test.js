// What npm would publish: licences, documents that are linked, and source maps that can be read.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { decode } from "@jridgewell/sourcemap-codec";

const root = fileURLToPath(new URL("..", import.meta.url));
const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
const files = new Set(packed.files.map(({ path }) => path));
const read = (path) => readFileSync(join(root, path), "utf8");

test("has its licences, and those of what its wasm contains", () => {
  for (const name of ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES.txt", "dist/sandbox-LICENSE.txt"]) assert.ok(files.has(name), name);
  const notices = read("THIRD-PARTY-LICENSES.txt");
  for (const name of ["serde_json", "wasm-bindgen", "indexmap", "The Rust standard library"]) assert.match(notices, new RegExp(`^${name} `, "m"));
});

test("every link of its documents leads to a file of it", () => {
  const documents = [...files].filter((path) => path.endsWith(".md"));
  assert.ok(documents.includes("docs/steps.md"));
  for (const path of documents) {
    for (const [, target] of read(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)) {
      const file = normalize(join(dirname(path), target));
      assert.ok(files.has(file), `${path} links to ${target}`);
    }
  }
});

test("every script has a source map with the sources in it", () => {
  const scripts = [...files].filter((path) => /\.c?js$/.test(path));
  assert.ok(scripts.length > 10);
  for (const path of scripts) {
    assert.ok(files.has(`${path}.map`), path);
    const { sources, sourcesContent } = JSON.parse(read(`${path}.map`));
    assert.deepEqual(sources.filter((_, index) => typeof sourcesContent?.[index] !== "string"), [], path);
    // A binary as text is no source, and would be shipped twice: it is one line.
    assert.ok(sourcesContent.every((content) => content.split("\n").every((line) => line.length < 50_000)), path);
    assert.ok(sources.every((source) => !source.startsWith("/") && !source.includes("node_modules")), path);
  }
});

test("a place in a script leads to its place in the source, by its source map", () => {
  let checked = 0;
  for (const path of [...files].filter((path) => /\.c?js$/.test(path))) {
    const { mappings, sources, sourcesContent } = JSON.parse(read(`${path}.map`));
    const originals = sourcesContent.map((content) => content.split("\n"));
    const lines = read(path).split("\n");
    for (const [row, segments] of decode(mappings).entries()) {
      for (const [column, source, line, place] of segments) {
        // Names that are as long as this are what they were before everything was made short. Lines are broken within
        // texts too, and what the bundler adds has no place.
        const [word] = /^[A-Za-z_$][\w$]{7,}/.exec(lines[row].slice(column)) ?? [];
        if (word === undefined || column === 0 || source === undefined || line + place === 0 || originals[source].length < 3) continue;
        assert.match(originals[source][line].slice(place), new RegExp(`^["']?${word.replaceAll("$", "\\$")}`), `${path}:${row + 1}:${column} leads to ${sources[source]}:${line + 1}:${place}`);
        checked += 1;
      }
      // What is put into a script once it is made moves whatever stands behind it.
      const moved = lines[row].indexOf("/* webpackIgnore");
      if (moved >= 0) assert.ok(segments.some(([column]) => column > moved), `${path}:${row + 1} has places behind what was put in`);
    }
  }
  assert.ok(checked > 5000, `${checked} places`);
});

test("its metadata says where to read about it", () => {
  const { homepage, license } = JSON.parse(read("package.json"));
  assert.match(homepage, /^https:/);
  assert.equal(license, "MIT OR Apache-2.0");
});
