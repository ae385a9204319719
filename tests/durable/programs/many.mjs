// An object in which thousands of runs wait, and that says how often it has called its database.
import { Workflow } from "stepweave";
import { runsObject } from "stepweave/durable";

const sleeper = new Workflow({
  name: "sleeper",
  input: { type: "object", properties: { run: { type: "number" }, at: { type: "number" } }, required: ["run", "at"] },
  steps: [
    { name: "rest", wait: { until: "at" } },
    {
      name: "woken",
      run: async ({ run }, { dependencies }) => {
        await dependencies.fetch(`${dependencies.origin}/operations`, { method: "POST", body: JSON.stringify({ operation: `${run}` }) });
      },
    },
  ],
});

const options = (env) => ({ public: true, run: { longWaitMs: 0, dependencies: { fetch: (...given) => fetch(...given), origin: env.ORIGIN } } });

export class Many extends runsObject(sleeper, options) {
  #queries;

  constructor(context, env) {
    const queries = { count: 0 };
    const { storage } = context;
    const sql = { exec: (...given) => { queries.count += 1; return storage.sql.exec(...given); } };
    const counted = { sql, transactionSync: (closure) => storage.transactionSync(closure), sync: () => storage.sync(), getAlarm: () => storage.getAlarm(), setAlarm: (time) => storage.setAlarm(time) };
    super({ storage: counted, waitUntil: (promise) => context.waitUntil(promise) }, env);
    this.#queries = queries;
  }

  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/queries") return Response.json(this.#queries);
    if (pathname !== "/fill") return super.fetch(request);
    // `from` and `count` name the runs, which wake one after the other from `at` on.
    const { from, count, at, everyMs } = await request.json();
    for (let begun = 0; begun < count; begun += 50) {
      await Promise.all(Array.from({ length: Math.min(50, count - begun) }, async (_, index) => {
        const order = begun + index;
        const response = await super.fetch(new Request(new URL("/runs", request.url), { method: "POST", body: JSON.stringify({ run: from + order, at: at + order * everyMs }) }));
        if (response.status !== 202) throw new Error(await response.text());
        await response.text();
      }));
    }
    return new Response();
  }
}

export default { fetch: (request, env) => env.Many.get(env.Many.idFromName("all")).fetch(request) };
