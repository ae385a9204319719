// A Worker with Durable Objects, each of which is a place for journals.
import { DurableObject } from "cloudflare:workers";
import { durableObjectStore } from "stepweave/stores";
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
