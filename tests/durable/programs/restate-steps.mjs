// The workflow whose services are killed: three agents with tools beside each other, a wait, a foreach and a person.
import { Agent, customModel, tool, Workflow } from "stepweave";

/** Has the server carry out an operation; `run` is in the agent's input. */
async function call(operation, key, { fetch, origin }) {
  const response = await fetch(`${origin}/operations`, { method: "POST", body: JSON.stringify({ operation, key }) });
  return response.text();
}

const agentOf = (name) => {
  const look = tool({
    name: `look_${name}`,
    description: "Looks something up.",
    input: { type: "object", properties: { run: { type: "string" } }, required: ["run"] },
    execute: ({ run }, { idempotencyKey, dependencies }) => call(`${run}/${name}.tool`, idempotencyKey, dependencies),
  });
  const model = customModel(`${name}-model`, async (request, { idempotencyKey, dependencies }) => {
    const run = /run ([\w-]+)/.exec(JSON.stringify(request.messages))[1];
    const isSecond = JSON.stringify(request.messages).includes(`did ${run}/${name}.tool`);
    const said = await call(`${run}/${name}.model${isSecond ? 2 : 1}`, idempotencyKey, dependencies);
    return isSecond ? said : [{ type: "toolCall", id: "c1", name: `look_${name}`, input: { run } }, { type: "finish", reason: "toolCalls" }];
  });
  return { name, agent: new Agent({ name, model, tools: [look] }), inputFrom: "run {{ run }}" };
};

const step = (name) => ({ name, run: async ({ run }, { step, idempotencyKey, dependencies }) => ({ [name]: await call(`${run}/${step.key}`, idempotencyKey, dependencies) }) });

export const workflow = new Workflow({
  name: "killed",
  steps: [
    step("first"),
    { name: "all", parallel: [agentOf("red"), agentOf("green"), agentOf("blue")] },
    { name: "pause", wait: { ms: 30 } },
    { name: "each", items: "[1, 2, 3, 4]", concurrency: 2, steps: [step("one")] },
    { name: "boss", type: "approval", message: "Go on?" },
    step("last"),
  ],
});

/** What follows what: a call that has been followed was kept. */
export const ORDER = [["first"], ...["red", "green", "blue"].map((name) => ["first", `${name}.model1`, `${name}.tool`, `${name}.model2`, "each#0/each.one", "last"])];
export const OPERATIONS = [...new Set([...ORDER.flat(), "each#1/each.one", "each#2/each.one", "each#3/each.one"])];
