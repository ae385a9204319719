// Forms of Dify, which ask a person.
import type { Json, StepDocument } from "stepweave";
import type { Shape } from "../arrange";
import { data, list, text } from "../data";
import { outputOf, quoted } from "../text";
import type { Block } from "./selectors";
import type { Making } from "./shapes";

/** A person fills in a form and chooses an action, of which each is a way on. */
export function asked(block: Block, { draft, selectors }: Making, became: (words: string, step?: StepDocument) => void): Shape {
  const own = block.data;
  // The places of its fields stand in the form.
  const form = text(own["form_content"] ?? own["desc"]).replace(/\{\{#\$output\.([^{}#]*)#\}\}/g, "[$1]");
  const actions = list(own["user_actions"]).map((action) => text(data(action)["id"])).filter((id) => id !== "");
  const fields = list(own["inputs"]).map((field) => text(data(field)["output_variable_name"])).filter((name) => name !== "" && name !== "__proto__");
  const properties = { ...(actions.length > 0 && { action: { type: "string", enum: [...new Set(actions)] } }), ...Object.fromEntries(fields.map((name) => [name, { type: "string" }])) };
  const schema: Json | undefined = Object.keys(properties).length > 0 ? { type: "object", properties, ...(actions.length > 0 && { required: ["action"] }) } : undefined;
  const lasts = Number(own["timeout"]) * (text(own["timeout_unit"]) === "day" ? 86_400_000 : 3_600_000);
  const name = selectors.nameOf(block);
  const step = (expired: StepDocument[]): StepDocument => {
    const made = draft.step(name, { type: "approval", message: selectors.template(form, block) || block.title, ...(schema !== undefined && { schema }), ...(lasts > 0 && { expiresMs: lasts }), ...(expired.length > 0 && { expired }) });
    became(actions.length > 0 ? "two steps: an approval and a switch" : "a step: approval", made);
    return made;
  };
  if (actions.length === 0) return { kind: "steps", steps: [step([])] };
  const which = draft.nameOf(`${block.title}: which`);
  const answer = outputOf(name);
  return {
    kind: "choice",
    ports: [...actions, TIMED_OUT],
    make: (arms) => [step(arms[actions.length] ?? []), draft.step(which, { type: "switch", cases: actions.map((action, index) => ({ when: `${answer} is not none and ${answer}.action == ${quoted(action)}`, steps: arms[index] ?? [] })), default: [] })],
  };
}

/** The port of a form that nobody has filled in. */
const TIMED_OUT = "__timeout";
