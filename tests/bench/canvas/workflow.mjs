// The workflow of so many steps: first lanes that run at the same time, then blocks of what workflows have.

const LANES = 8;
/** How many endpoints the agents ask. */
const ENDPOINTS = 2;
/** The cards of a lane: containers around the agent whose answer is streamed, so that so many cards run at once. */
const DEPTH = 5;

/** The document; its agents ask the endpoints in turn, since a browser has no more than six connections to each. */
export function workflowOf(size, endpoints) {
  const next = numbers();
  const steps = [lanes(next)];
  while (next.given() < size) steps.push(...block(next));
  const byModel = (valueOf) => Object.fromEntries(endpoints.map((endpoint, index) => [`m${index}`, valueOf(endpoint, index)]));
  return {
    version: 1,
    name: `${size} steps`,
    initialState: { topic: "bees", ready: true },
    models: byModel((baseUrl) => ({ provider: "openai", model: "slow", baseUrl })),
    agents: byModel((_, index) => ({ model: `m${index}`, instructions: "You write about bees." })),
    steps,
  };
}

/** The connections that a graph of nodes needs to look the same. */
export function edgesOf({ steps }) {
  const edges = [];
  connect(steps, [], edges);
  return edges.map(([source, target]) => ({ id: `${source}-${target}`, source, target }));
}

function numbers() {
  let last = 0;
  const next = () => `s${(last += 1)}`;
  next.given = () => last;
  return next;
}

function lanes(next) {
  const own = next();
  const nested = (depth) => (depth === 1 ? agent(next) : { id: next(), type: "sequence", name: `part_${next.given()}`, steps: [nested(depth - 1)] });
  return { id: own, type: "parallel", name: "at_once", parallel: Array.from({ length: LANES }, () => nested(DEPTH)) };
}

/** Ten steps. */
function block(next) {
  const gate = { id: next(), type: "condition", name: `gate_${next.given()}`, condition: "ready", steps: [wait(next), wait(next)], else: [wait(next)] };
  const both = { id: next(), type: "parallel", name: `both_${next.given()}`, parallel: [agent(next), agent(next), agent(next)] };
  return [agent(next), gate, both, wait(next)];
}

function agent(next) {
  const id = next();
  return { id, type: "agent", name: `agent_${id}`, agent: `m${Number(id.slice(1)) % ENDPOINTS}`, inputFrom: "Write about {{ topic }}." };
}

function wait(next) {
  const id = next();
  return { id, type: "wait", name: `wait_${id}`, wait: { ms: 5 } };
}

/** Connects steps to those before them; gives those that what follows is connected to. */
function connect(steps, before, edges) {
  let ends = before;
  for (const step of steps) {
    for (const end of ends) edges.push([end, step.id]);
    ends = inside(step, edges);
  }
  return ends;
}

function inside({ id, type, steps, else: otherwise, parallel }, edges) {
  if (type === "condition") return [steps, otherwise].flatMap((way) => connect(way, [id], edges));
  if (type === "parallel") return parallel.flatMap((lane) => connect([lane], [id], edges));
  return type === "sequence" ? connect(steps, [id], edges) : [id];
}
