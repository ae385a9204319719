// The requests of the engine, in their order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal } from "./support.js";

const { Asks } = await internal("run/asks.ts");
const call = (op) => ({ ask: "call", op });

test("calls that wait for another turn are taken in their order, each without a look at those before", (t) => {
  const asks = new Asks();
  for (let op = 0; op < 1000; op += 1) asks.add(call(op));
  assert.equal(asks.nextButCalls(), undefined);
  assert.ok(asks.isHolding);
  const values = t.mock.method(Map.prototype, "values");
  const taken = [];
  for (let op = 0; op < 500; op += 1) taken.push(asks.next().op);
  asks.addAbort(700);
  asks.add(call(1000));
  assert.equal(asks.nextButCalls().ask, "abort");
  assert.equal(asks.nextButCalls(), undefined);
  for (let ask = asks.next(); ask !== undefined; ask = asks.next()) taken.push(ask.op);
  assert.deepEqual(taken, [...Array(1001).keys()].filter((op) => op !== 700));
  assert.ok(values.mock.callCount() < 5, String(values.mock.callCount()));
  asks.hold(call(1001));
  assert.deepEqual([asks.next().op, asks.isEmpty], [1001, true]);
});
