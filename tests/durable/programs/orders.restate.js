// Put beside the tests of an exported project of `orders.json` for Restate: its run from the start to the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { post, serve } from "./serve.js";

test("a run waits for two people, goes on with their answers, and is done", { timeout: 60_000 }, async (context) => {
  const served = await serve();
  context.after(() => served.stop());
  const address = `${served.ingress}/gr-e-co-orders-x-name/o17`;
  await post(`${address}/run/send`, { sum: 40 });
  for (const [key, answer] of [["boss", { approved: true }], ["how", { way: "invoice" }]]) {
    while ((await (await post(`${address}/pending`)).json())[0]?.key !== key) await new Promise((later) => setTimeout(later, 50));
    await post(`${address}/answer`, { [key]: answer });
  }
  for (;;) {
    const response = await fetch(`${served.ingress}/restate/workflow/gr-e-co-orders-x-name/o17/output`);
    if (response.status === 470) continue;
    const { status, state } = await response.json();
    assert.deepEqual([status, state?.way, state?.note, state?.sum], ["done", "invoice", "INVOICE", 40]);
    return assert.match(state.thank_output, /^\[simulated\]/);
  }
});
