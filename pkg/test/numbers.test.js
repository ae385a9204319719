// Numbers in texts, which the engine reads by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, customModel, Workflow } from "stepweave";

test("numbers in templates are the numbers that JavaScript reads in the same text", async () => {
  const texts = [];
  for (let power = -340; power <= 300; power += 1) texts.push(`${Math.abs(power * 37) % 10}.${Math.abs(power * 7919) + 1}e${power}`, `${Math.abs(power * 104729)}7310585e${power - 8}`);
  const numbers = texts.map(Number);
  assert.ok(numbers.includes(0) && numbers.some((number) => number > 1e306));
  const set = Object.fromEntries(texts.map((text, index) => [`n${index}`, `'${text}' | float`]));
  const { status, state } = await new Workflow({ name: "t", steps: [{ name: "read", run: { set } }] }).run();
  assert.equal(status, "done");
  assert.deepEqual(texts.map((_, index) => state[`n${index}`]), numbers);
});

test("numbers in parameters are those that were given", async () => {
  const given = Array.from({ length: 600 }, (_, index) => Number(`${Math.sin(index)}e${index - 300}`));
  given.push(...Array.from({ length: 600 }, (_, index) => Math.cos(index) * index));
  let taken;
  const model = customModel("counting", ({ params }) => { taken = params; return "thanks"; }, { params: { given } });
  await new Workflow({ name: "t", steps: [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: "Hi" }] }).run();
  assert.deepEqual(taken, { given });
});
