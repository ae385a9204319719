// Every template is sound, and its first run shows what it is for without a key and without a request.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { validate, Workflow } from "stepweave";
import "stepweave/sandbox";

const folder = new URL("../../examples/", import.meta.url);
const files = ["", "patterns/"].flatMap((inner) => readdirSync(new URL(`./${inner}`, folder)).filter((file) => file.endsWith(".json")).map((file) => inner + file));
const forbidden = () => Promise.reject(new Error("a template called the network on its first run"));

for (const file of files) {
  test(`${file} runs on its pinned outputs`, async () => {
    const document = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    assert.deepEqual(await validate(document), []);
    const run = await Workflow.fromDocument(document).run({ pins: true, journal: true, fetch: forbidden });
    assert.deepEqual(run.errors, []);
    assert.ok(run.status === "done" || run.status === "suspended", run.status);
    assert.doesNotMatch(JSON.stringify(run.state), /\[simulated\]/);
    assert.notDeepEqual(run.state, document.initialState, "it changes nothing");
  });
}

test("templates do what they are there for", async () => {
  const run = async (name, options = {}) => Workflow.fromDocument(JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"))).run({ pins: true, journal: true, fetch: forbidden, ...options });
  const invoice = await run("invoice-check");
  assert.deepEqual([invoice.state.sum, invoice.state.difference, invoice.state.status], [423, 9, "on hold"]);
  const refund = await run("guarded-agent");
  assert.match(refund.pending[0].message, /^Refund 39.9 euros for order 1042\?/);
  const refused = await run("guarded-agent", { journal: refund.journal, answers: { [refund.pending[0].key]: { approved: false } } });
  assert.match(refused.state.decline_output, /A colleague looks into it/);
  const comments = await run("moderate-comments");
  assert.deepEqual(comments.state.rejected, [{ comment: "Buy cheap watches at http://spam.example", reason: "it has http://" }]);
  const clean = await run("clean-data");
  assert.deepEqual(clean.state.clean.map(({ name, country }) => [name, country]), [["Ada Lovelace", "GB"], ["Grace Hopper", "US"]]);
  const models = await run("compare-models");
  assert.equal(models.state.best, models.state.answer_a_output);
});
