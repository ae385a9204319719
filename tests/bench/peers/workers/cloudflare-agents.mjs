import { Agent, getAgentByName } from "agents";

export class Sum extends Agent {
  async onRequest() {
    const n = 2;
    const twice = 2 * n;
    return new Response(String(n + twice));
  }
}

export default {
  async fetch(request, { Sum: agents }) {
    const agent = await getAgentByName(agents, "one");
    return agent.fetch(request);
  },
};
