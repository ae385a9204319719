// A Worker with Durable Objects, each of which is a place for journals.
import { DurableObject } from "cloudflare:workers";
import { durableObjectStore, sqlStore } from "stepweave/stores";
import { BATCHES, carryOn, complaints } from "./older.mjs";
import { cases } from "../../../pkg/test/stores-conformance.js";

const SUMMARY = { status: "running", documentName: "w", updatedAt: 1 };

export class Place extends DurableObject {
  async fetch(request) {
    const { action, given } = await request.json();
    try {
      return Response.json({ value: await this[action](given) });
    } catch (error) {
      return Response.json({ code: error.code, fault: error.stack });
    }
  }

  async conform(index) {
    await cases[index].run({ open: () => durableObjectStore(this.ctx.storage) });
  }

  async conformSql(index) {
    await cases[index].run({ open: () => sqlStore(this.ctx.storage) });
  }

  async append({ key, expectedSeq }) {
    await durableObjectStore(this.ctx.storage).append("run", [{ key, at: 1 }], expectedSeq, SUMMARY);
  }

  async keys() {
    return (await durableObjectStore(this.ctx.storage).load("run"))?.entries.map(({ key }) => key) ?? null;
  }

  async own() {
    await this.ctx.storage.put("mine", "kept");
    const store = durableObjectStore(this.ctx.storage);
    await store.append("run", [{ key: "a", at: 1 }], 0, SUMMARY);
    await store.delete("run");
    return [...(await this.ctx.storage.list()).keys()];
  }

  /** Keeps what the first version of the store did, and lets today's go on. */
  async older() {
    await this.ctx.storage.put('stepweave/journal/"order-17"', 5);
    for (const [index, entries] of BATCHES.entries()) {
      // A long batch was cut into pieces.
      const text = JSON.stringify(entries);
      const key = `stepweave/entries/"order-17"/${String(index * 2).padStart(12, "0")}/`;
      await this.ctx.storage.put(`${key}${"0".padStart(12, "0")}`, text.slice(0, 50));
      await this.ctx.storage.put(`${key}${"50".padStart(12, "0")}`, text.slice(50));
    }
    return carryOn(() => durableObjectStore(this.ctx.storage));
  }

  async later() {
    await this.ctx.storage.put('stepweave/journal/"later"', { entries: 1, layout: 3 });
    return complaints(() => durableObjectStore(this.ctx.storage));
  }

  async lose() {
    const pieces = await this.ctx.storage.list({ prefix: "stepweave/entries/" });
    await this.ctx.storage.delete([...pieces.keys()][0]);
  }
}

export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname;
    return env.PLACES.get(env.PLACES.idFromName(name)).fetch(request);
  },
};
