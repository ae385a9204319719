import type { Agent } from "../../authoring/agent.js";
import { Chain } from "./chain.js";
import { step } from "../definition/record.js";
import { askedWith } from "../definition/text.js";

/** What runs an agent that has no steps: one step, in which it answers the input. */
export function answering(agent: Agent): Chain {
  const { name, model, output } = agent;
  const answer = step({ type: "act", name: "answer", inputs: 1, jsonOutput: output !== undefined, func: askedWith });
  return new Chain({ name, model, asked: agent, steps: [answer] });
}
