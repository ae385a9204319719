import assert from "node:assert/strict";
import { test } from "node:test";
import { assertPrograms, assertShown, page } from "./docs-support.js";

/** The number of the last statement of each section; they are counted through a part. */
const PARTS = {
  clientai: { 1.1: 9, 1.2: 14, 1.3: 27, 1.4: 47, 1.5: 66, 1.6: 75, 1.7: 94, 1.8: 106, 1.9: 112, "1.10": 122, 1.11: 133, 1.12: 152, 1.13: 163 },
  timbal: { "2.1": 17, "2.2": 23, "2.3": 41, "2.4": 57 },
  workflow: { "3.1": 6, "3.2": 18, "3.3": 29, "3.4": 36, "3.5": 43, "3.6": 57 },
};
const REASON = /^(recorded bug, better behaviour tested instead: |deliberate difference: |Python-only mechanism, JS counterpart tested: |other issue: )\S/;

for (const [part, sections] of Object.entries(PARTS)) {
  test(`every statement of docs/seeds/${part}.md names what shows it, or the reason why nothing does`, () => {
    const statements = [];
    for (const [section, last] of Object.entries(sections)) {
      while (statements.length < last) statements.push(`${section}/${statements.length + 1}`);
    }
    const rows = [...page(`docs/seeds/${part}.md`).matchAll(/^\| (\d\.\d+\/\d+) \| (.+) \| (.*) \| (.*) \|$/gm)];
    assert.deepEqual(rows.map(([, statement]) => statement), statements);
    for (const [, statement, text, shown, remark] of rows) {
      assert.match(text, /^[\p{Lu}`].*\.$/u, `${statement} says in a sentence what it is about`);
      if (remark !== "") assert.match(remark, REASON, statement);
      if (shown === "") assert.match(remark, /^other issue/, statement);
      else assertShown(shown, statement);
    }
  });
}

test("every program of the guide to flows prints what the guide says", () => {
  assertPrograms(page("docs/flows.md"));
});
