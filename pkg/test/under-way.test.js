// What a run has under way, compared with a map.
import assert from "node:assert/strict";
import { test } from "node:test";
import { internal, random } from "./support.js";

const { UnderWay } = await internal("run/under-way.ts");

test("numbers that come and go are found until they are taken", () => {
  const own = new UnderWay();
  const map = new Map();
  let last = 0;
  const next = random(7);
  const below = (most) => Math.floor(next() * most);
  for (let round = 0; round < 20_000; round += 1) {
    // Sometimes more come than go, so that it grows, and sometimes all go.
    const wanted = round % 4_000 < 2_000 ? 200 : 2;
    if (map.size < below(wanted)) {
      last += 1 + below(3);
      own.add(last, `thing ${last}`);
      map.set(last, `thing ${last}`);
    } else {
      const number = [...map.keys()][below(map.size)] ?? last + 1;
      assert.equal(own.has(number), map.has(number));
      assert.equal(own.take(number), map.get(number));
      map.delete(number);
      assert.equal(own.take(number), undefined);
    }
    assert.equal(own.isEmpty, map.size === 0);
  }
  assert.deepEqual(own.takeAll(), [...map.values()]);
  assert.equal(own.isEmpty, true);
});

test("a number that is added again has the later thing", () => {
  const own = new UnderWay();
  own.add(5, "first");
  own.add(5, "second");
  assert.deepEqual(own.takeAll(), ["second"]);
});
