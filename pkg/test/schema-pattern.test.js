import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { internal, thrown } from "./support.js";

const { compile, isFound, loadValidator, readPattern, Walk } = await internal({
  "./schema/json/compile.ts": ["compile"],
  "./schema/json/walk.ts": ["Walk"],
  "./schema/validator.ts": ["loadValidator"],
  "./schema/pattern/read.ts": ["readPattern"],
  "./schema/pattern/match.ts": ["isFound"],
});
const validator = await loadValidator([{ pattern: "" }]);

/** How many steps of work a check takes. */
function stepsOf(schema, value) {
  const walk = new Walk(schema, value, 50);
  walk.visit(compile(schema), value, undefined);
  return walk.steps;
}

const fits = (pattern, text) => validator.check({ pattern }, text).length === 0;

// Nothing here backtracks for long: the texts are short.
const host = (pattern) => {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
};

const sign = fc.constantFrom("a", "b", "Z", "0", "9", "_", " ", "-", ".", "é", "ß", "\u00a0", "\u2028", "\n", "\t", "🐝", "]", "^", "\ufeff", "\ud83d");
const text = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(""));
const atom = fc.oneof(
  fc.constantFrom("a", "b", "Z", "0", "é", "🐝", ".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\.", "\\^", "\\/", "\\n", "\\cI", "\\x61", "\\u0062", "\\u{1f41d}", "\\ud83d\\udc1d", "\\0", "\\p{L}", "\\P{Lu}", "\\p{Script=Latin}", "\\p{gc=Nd}", "[]", "[^]", "-", " ", "_"),
  fc.array(fc.constantFrom("a", "b-z", "0-9", "\\d", "\\W", "\\s", "\\S", "\\]", "^", "\\-", "é", "\\p{Ll}", "\\P{L}", "🐝", "\\u{1f400}-\\u{1f4ff}", "\\b", ".", "[", "-"), { minLength: 1, maxLength: 3 }).chain((members) => fc.constantFrom(`[${members.join("")}]`, `[^${members.join("")}]`)),
);
const { pattern } = fc.letrec((tie) => ({
  term: fc.oneof({ maxDepth: 3 }, atom, fc.constantFrom("^", "$", "\\b", "\\B"), tie("pattern").chain((inside) => fc.constantFrom(`(${inside})`, `(?:${inside})`, `(?<name>${inside})`))),
  repeated: fc.tuple(tie("term"), fc.constantFrom("", "", "", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}")).map((parts) => parts.join("")),
  pattern: fc.array(tie("repeated"), { maxLength: 4 }).chain((terms) => fc.constantFrom(terms.join(""), terms.join("|"))),
}));

test("a pattern is found where JavaScript finds it, and no pattern is read that JavaScript refuses", () => {
  const counts = { found: 0, missed: 0, refused: 0 };
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 6, maxLength: 6 }), (source, texts) => {
      const expected = host(source);
      const read = readPattern(source);
      if (expected === undefined) {
        // Only names that stand twice are left to others.
        if (!source.includes("(?<name>")) assert.ok("message" in read, source);
        counts.refused += 1;
        return;
      }
      assert.ok("source" in read, `${source}: ${read.message}`);
      for (const given of texts) {
        // The engine of Node also looks between the two halves of a character.
        if (source.includes("\\B") && /[\ud800-\udfff]/.test(given)) continue;
        const found = expected.test(given);
        counts[found ? "found" : "missed"] += 1;
        assert.equal(isFound(read.source, read.size, given), found, `${JSON.stringify(source)} in ${JSON.stringify(given)} as ${read.source}`);
      }
    }),
    { numRuns: 6000, seed: 5 },
  );
  assert.ok(counts.found > 5000 && counts.missed > 1500 && counts.refused > 200, JSON.stringify(counts));
});

for (const source of ["(?=a)b", "a(?!b)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<x>a)\\k<x>"]) {
  test(`no linear time is known for ${source}`, () => {
    const error = thrown(() => validator.prepare({ properties: { a: { items: { pattern: source } } } }));
    assert.equal(error.code, "validation");
    assert.match(error.message, /^the schema's \/properties\/a\/items\/pattern has (look-around|a back reference), `/);
    assert.match(error.hint, /neither look-around nor back references: (put `not|write out)/);
    assert.deepEqual(error.problems.map(({ path, code }) => [path, code]), [["/properties/a/items/pattern", "pattern"]]);
    const asKey = thrown(() => validator.prepare({ patternProperties: { [source]: {} } }));
    assert.match(asKey.message, /^the schema's \/patternProperties\/.* has (look-around|a back reference)/);
  });
}

test("every pattern that cannot be used is reported, not only the first", () => {
  const { problems } = thrown(() => validator.prepare({ pattern: "(", patternProperties: { "(?=a)": { pattern: "\\1" } } }));
  assert.deepEqual(problems.map(({ path }) => path).sort(), ["/pattern", "/patternProperties/(?=a)", "/patternProperties/(?=a)/pattern"]);
});

for (const [what, source, message] of [
  ["a count above a thousand", "^.{1,1001}$", /repeats something more than 1000 times/],
  ["counts that multiply", "((a{11}){10}){10}", /repeats something more than 1000 times/],
  ["a pattern that grows when it is written out", "(?:abcdefghijkl){900}", /more than 10000 instructions/],
  ["a very long pattern", "a".repeat(4097), /longer than 4096/],
  ["deep groups", "(".repeat(300) + ")".repeat(300), /nests more than 250 groups/],
  ["a property that only JavaScript knows", "\\p{Emoji}", /`\\p\{Emoji\}`, which is not known here/],
  ["a modifier", "(?i:a)", /not what `pattern` takes/],
]) {
  test(`outside of what is matched: ${what}`, () => {
    const error = thrown(() => validator.prepare({ pattern: source }));
    assert.equal(error.code, "validation");
    assert.match(error.message, message);
    assert.ok(error.hint.length > 20, error.hint);
  });
}

test("what a pattern takes is never more than it was counted for", async () => {
  const { RE2JS } = await import("re2js");
  fc.assert(
    fc.property(pattern, (source) => {
      const read = readPattern(source);
      if ("source" in read) assert.ok(RE2JS.compile(read.source).programSize() <= read.size + 2, `${source} as ${read.source}: ${RE2JS.compile(read.source).programSize()} of ${read.size}`);
    }),
    { numRuns: 3000, seed: 6 },
  );
});

test("patterns that backtrack without end take time that grows with the text alone", () => {
  for (const source of ["^(a+)+$", "(x+x+)+y", "^(a|aa)+$", "(a*)*b", "^(\\w+\\s?)*$", "(.*)*(.*)*(.*)*x"]) {
    assert.equal(typeof fits(source, "a"), "boolean");
    const [short, long] = [1000, 10_000].map((length) => stepsOf({ pattern: source }, `${"a".repeat(length)}!`));
    assert.ok(long <= short * 11 && long <= 100 * 10_000, `${source}: ${short} steps, then ${long}`);
    assert.equal(typeof fits(source, `${"a".repeat(50_000)}!`), "boolean");
  }
});
