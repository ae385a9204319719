// The workflows that the builder offers, run to their end with the demo model.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { validate, Workflow } from "stepweave";
import { virtualClock } from "./support.js";

const folder = new URL("../../examples/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const read = (file) => JSON.parse(readFileSync(new URL(file, folder), "utf8"));

/** Runs an example; a person gives this answer. */
async function play(document, answer) {
  const workflow = Workflow.fromDocument(document);
  const options = { fetch: () => Promise.reject(new Error("an example sends nothing")), seed: 1 };
  let result = await workflow.run({ ...options, clock: virtualClock(), journal: true });
  let questions = 0;
  for (; result.status === "suspended"; questions += 1) {
    const answers = Object.fromEntries(result.pending.map(({ key }) => [key, answer]));
    result = await workflow.run({ ...options, clock: virtualClock(), journal: result.journal, answers });
  }
  return { result, questions };
}

for (const file of files) {
  test(`${file} has no problem and ends well`, async () => {
    const document = read(file);
    assert.deepEqual(await validate(document), []);
    const { result } = await play(document, { approved: true });
    assert.deepEqual(result.errors, []);
    assert.equal(result.status, "done");
  });
}

test("review-until-good.json notes every topic, writes twice, and publishes what a person approves", async () => {
  const { result, questions } = await play(read("review-until-good.json"), { approved: true });
  const { topics, research_output, missing, draft, published } = result.state;
  assert.equal(questions, 1);
  assert.deepEqual(research_output.map((notes) => notes.slice(0, notes.indexOf(":"))), topics);
  assert.equal(result.stepResults.filter(({ name }) => name === "write").length, 2);
  assert.deepEqual(missing, []);
  assert.equal(published, draft);
});

test("review-until-good.json writes anew what a person does not approve", async () => {
  const { result } = await play(read("review-until-good.json"), { approved: false, remarks: "shorter" });
  assert.equal("published" in result.state, false);
  assert.match(result.state.rewrite_output, /Rewrite this text. What should be better: shorter/);
});
