// What the first version of the stores kept, and what is done with it by today's: the same in a page and in an object.

/** The entries of a run that waits, as version 1 of the journal has them, in two appends. */
export const BATCHES = [
  [
    { key: "start", at: 1000, ok: { workflow: "order", document: "0123456789abcdef", state: { sum: 12 }, seed: 7 } },
    { key: "price/1/run", asked: "00", at: 1001, ok: { patch: { sum: 13 } } },
  ],
  [
    { key: "pause/1/deadline", at: 1002, ok: 99_000 },
    { key: "end", at: 1003, ok: { status: "cancelled" } },
    { key: "pause/1/waited", at: 1004, ok: null },
  ],
];

const SUMMARY = { status: "suspended", documentName: "order", owner: "ada", updatedAt: 2000 };

/** What today's store finds and does; `open` gives another store over the same place. */
export async function carryOn(open) {
  const loaded = await open().load("order-17");
  const listed = await open().list();
  const late = await open().append("order-17", [{ key: "x", at: 1 }], 3, SUMMARY).catch(({ code }) => code);
  await open().append("order-17", [{ key: "boss/answer", at: 2000, ok: true }], 5, SUMMARY);
  const continued = await open().load("order-17");
  const relisted = await open().list({ owner: "ada" });
  await open().delete("order-17");
  return { loaded, listed, late, continued, relisted, left: (await open().load("order-17")) ?? null };
}

/** The error that somebody gets for what a later version has kept, by each function. */
export async function complaints(open) {
  const said = {};
  for (const [name, call] of Object.entries({
    load: (store) => store.load("later"),
    append: (store) => store.append("later", [{ key: "x", at: 1 }], 1, SUMMARY),
    list: (store) => store.list(),
  })) {
    said[name] = await call(open()).then(() => null, ({ code, message, hint }) => ({ code, message, hint }));
  }
  return said;
}
