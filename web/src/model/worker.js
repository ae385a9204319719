// Serves this workflow from a Cloudflare Worker: POST a state as JSON, and get the result of a run.
import { Workflow } from "stepweave";

const workflow = Workflow.fromDocument(/* document */);

// The keys that the document names, each with the only origins that it is sent to.
const origins = /* origins */;

export default {
  async fetch(request, env) {
    // Without an ACCESS_TOKEN everyone who knows the address can run it.
    if (env.ACCESS_TOKEN && request.headers.get("authorization") !== `Bearer ${env.ACCESS_TOKEN}`) {
      return Response.json({ error: { code: "unauthorized", message: "this workflow needs an access token" } }, { status: 401 });
    }
    if (request.method !== "POST") return Response.json({ workflow: workflow.name, usage: "POST a state as JSON" });
    const text = await request.text();
    let state;
    try {
      state = text === "" ? {} : JSON.parse(text);
    } catch (error) {
      return Response.json({ error: { code: "not_json", message: error.message } }, { status: 400 });
    }
    const given = Object.entries(origins).filter(([name]) => env[name]);
    const secrets = Object.fromEntries(given.map(([name, origins]) => [name, { value: env[name].trim(), origins }]));
    try {
      const result = await workflow.run({ state, secrets, signal: request.signal });
      return Response.json(result, { status: result.status === "done" ? 200 : 502 });
    } catch (error) {
      const { code = "internal", message, hint } = error;
      return Response.json({ error: { code, message, hint } }, { status: 400 });
    }
  },
};
