// Random workflows come to the same in all ways in which they can be written, and wherever they are taken up from their journal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workflow } from "stepweave";
import { made, spec } from "./spellings-support.js";
import { virtualClock } from "./support.js";

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);
const copy = (value) => JSON.parse(JSON.stringify(value));
const told = (error) => error && [error.code, error.message, error.step?.key];

/** Runs a workflow until nobody is asked any more: of two answers the first is a yes. Gives what it came to, and its journal. */
async function through(workflow, begun) {
  let options = { journal: begun ?? true };
  for (;;) {
    const result = await workflow.run({ ...options, clock: virtualClock() });
    const journal = copy(result.journal);
    if (result.status !== "suspended") return { came: cameTo(result), journal };
    options = { journal, answers: Object.fromEntries(result.pending.map(({ key }) => [key, { approved: key.length % 2 === 0 }])) };
  }
}

const cameTo = ({ status, state, message, error, errors, stepResults }) =>
  copy({
    status,
    state,
    message: message ?? null,
    error: told(error) ?? null,
    errors: errors.map(told).sort(),
    steps: stepResults.map(({ key, path, status, output, error }) => [key, path, status, output ?? null, told(error) ?? null]),
  });

/** What does not fit a schema is said in the words of its library, and what stops with it too. */
const inNoWords = (came) => {
  const bare = (error) => error && [error[0], error[0] === "validation" ? "" : error[1], error[2]];
  return { ...came, error: bare(came.error), errors: came.errors.map(bare).sort(), steps: came.steps.map(([key, path, status, output, error]) => [key, path, status, output, bare(error)]) };
};

const again = (workflow) => Workflow.fromDocument(copy(workflow.toDocument()), { handlers: workflow.handlers });

test("a workflow, its document, and the same with the schemas of a library come to the same", async () => {
  const seen = new Set();
  for (const seed of SEEDS) {
    const definition = spec(seed);
    const { came } = await through(made(definition, "json"));
    seen.add(came.status);
    assert.deepEqual((await through(again(made(definition, "json")))).came, came, `the document of ${seed}`);
    const library = (await through(made(definition, "zod"))).came;
    assert.deepEqual(inNoWords(library), inNoWords(came), `zod in ${seed}`);
    assert.deepEqual((await through(again(made(definition, "zod")))).came, library, `the document of zod in ${seed}`);
  }
  assert.deepEqual([...seen].sort(), ["done", "error"]);
});

test("a run that is done comes to the same from wherever it is taken up, and without calling anything", async () => {
  for (const seed of SEEDS) {
    const definition = spec(seed);
    const language = seed % 2 === 0 ? "json" : "zod";
    const { came, journal } = await through(made(definition, language));
    // Of an answer that does not fit nothing is kept.
    if (came.error?.[1].startsWith("the answer to ")) continue;
    const replayed = await made(definition, language).run({ journal, replay: "strict", clock: virtualClock() });
    assert.deepEqual(cameTo(replayed), came, `replay of ${seed}`);
    // What stopped a run is tried again.
    if (came.status !== "done") continue;
    for (let length = 1; length < journal.entries.length; length += 1) {
      const begun = { ...journal, entries: journal.entries.slice(0, length) };
      assert.deepEqual((await through(made(definition, language), begun)).came, came, `${seed} behind ${begun.entries.at(-1).key}`);
    }
  }
});
