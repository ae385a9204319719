// Random workflows that send requests which must not be sent twice, and the model of their agent.
import { customModel } from "stepweave";
import { between, chance, generator, pick } from "../random.mjs";

/** What a step does of whose request nobody knows whether it was carried out. */
export const MODES = ["fail", "retry", "skip"];

/** The names of the operations that the workflow of a seed has carried out, each by one request. */
export function operationsOf(seed) {
  return shapeOf(seed).flatMap(({ names }) => names);
}

/** The document of a seed, in which nobody is asked and all requests go to one server. */
export function documentOf(seed, run, onUnknown, origin) {
  const request = (name, method = "POST") => ({ url: `${origin}/operations`, method, body: { json: { operation: name } }, result: "body.operation" });
  const sending = (id, name, method) => ({ id, type: "http", name: id, onUnknown, http: request(`{{ run }}/${name}`, method) });
  const steps = shapeOf(seed).map(({ kind, id, names, methods, concurrency }) => {
    switch (kind) {
      case "sequence":
        return { id, type: "sequence", name: id, steps: names.map((name, index) => sending(`${id}_${index}`, name, methods[index])) };
      case "foreach":
        return { id, type: "foreach", name: id, items: JSON.stringify(names), concurrency, result: `${id}_one_output`, steps: [sending(`${id}_one`, "{{ item }}")] };
      default:
        return { id, type: "agent", name: id, agent: "clerk", inputFrom: JSON.stringify(names.map((name) => `${run}/${name}`)) };
    }
  });
  return {
    version: 1,
    name: `requests ${seed}`,
    initialState: { run },
    models: { scripted: { provider: "custom", model: "clerk" } },
    agents: { clerk: { model: "scripted", tools: ["pay"] } },
    tools: {
      pay: {
        description: "Pays.",
        needsApproval: false,
        input: { type: "object", properties: { operation: { type: "string" } }, required: ["operation"] },
        run: { http: request("{{ operation }}") },
      },
    },
    steps,
  };
}

/** Calls the tool once for each operation that its prompt names, all in one turn. */
export const clerk = customModel("clerk", ({ messages }) => {
  if (messages.some(({ role }) => role === "tool")) return "All of it is paid.";
  const names = JSON.parse(messages[0].content[0].text);
  return names.map((operation, index) => ({ type: "toolCall", id: `c${index}`, name: "pay", input: { operation } }));
});

function shapeOf(seed) {
  const random = generator(seed);
  const blocks = ["sequence", "foreach", ...Array.from({ length: 4 }, () => pick(random, ["sequence", "foreach"]))];
  // What the tool of an agent leaves open stays open, so it comes late.
  if (chance(random, 0.6)) blocks.splice(5, 0, "agent");
  return blocks.map((kind, index) => {
    const id = `${kind}${index}`;
    const names = Array.from({ length: between(random, 2, kind === "foreach" ? 6 : 3) }, (_, number) => `${id}.${number}`);
    return { kind, id, names, methods: names.map(() => pick(random, ["POST", "POST", "PATCH"])), concurrency: between(random, 1, 3) };
  });
}
