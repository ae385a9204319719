// What all pages of the documentation have in common.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { assertPrograms, page } from "./docs-support.js";

const root = new URL("../../", import.meta.url);
const GUIDES = readdirSync(new URL("docs", root), { recursive: true }).filter((name) => name.endsWith(".md") && !name.includes("node_modules"));
const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "pkg/README.md", "examples/cloudflare/README.md", ...GUIDES.map((name) => `docs/${name}`)];

/** A heading as links name it. */
const anchor = (title) => title.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-");

test("every link of every page leads to a page and a heading that are there", () => {
  assert.ok(PAGES.length > 20);
  for (const path of PAGES) {
    const text = page(path).replace(/^```.*?^```$/gms, "");
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [target, heading] = link.split("#");
      const place = target === "" ? path : decodeURIComponent(new URL(target, `file:///${path}`).pathname.slice(1));
      assert.ok(existsSync(new URL(place, root)), `${path}: ${link}`);
      if (heading === undefined) continue;
      const headings = [...page(place).matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchor(title));
      assert.ok(headings.includes(heading), `${path}: ${link}`);
    }
  }
});

test("the README leads to every guide", () => {
  const text = page("README.md");
  for (const name of GUIDES) if (!name.includes("/")) assert.ok(text.includes(`docs/${name}`), name);
});

test("the package's README has each entry in its table, and leads to every guide that is packed with it", () => {
  const text = page("pkg/README.md");
  const { exports } = JSON.parse(page("pkg/package.json"));
  // The ways to load the engine of functions stand in the row of their entry.
  const isOfFunctions = (name) => name.startsWith("./functions/");
  for (const name of Object.keys(exports)) if (!isOfFunctions(name) && name !== "./package.json") assert.ok(text.includes(`\`stepweave${name.slice(1)}\``), name);
  for (const name of readdirSync(new URL("pkg/docs", root))) assert.ok(text.includes(`docs/${name}`), name);
});

test("the programs of the first guide print what stands below them", () => assertPrograms(page("docs/getting-started.md")));
