import { StepweaveError } from "../api/errors.js";
import type { StandardSchema } from "../api/schema.js";
import { schemaBehind } from "../schema/fit.js";
import { member, steps } from "../schema/json/pointer.js";
import { checkStandard } from "../schema/standard.js";
import { loadValidator } from "../schema/validator.js";
import type { Violation } from "../schema/violation.js";
import type { Plan } from "./plan.js";
import { inputOf } from "./tool-inputs.js";

/** Problems in one message, as in the engine. */
const MAX_LISTED = 5;

/**
 * What is wrong with the input that an answer gives, before the answer counts: once it is taken, only the model would learn
 * of it. Nothing where the input fits one of these tools. It is not converted, since a person sees the schema.
 */
export async function refusalOf(plan: Plan, tools: readonly string[], key: string, input: object): Promise<StepweaveError | undefined> {
  const faults: string[] = [];
  for (const tool of tools) {
    const found = await faultsOf(plan, tool, input);
    if (found.length === 0) return undefined;
    const more = found.length - MAX_LISTED;
    faults.push(`the tool \`${tool}\` called with an input that does not fit: ${found.slice(0, MAX_LISTED).join("; ")}${more > 0 ? `; and ${more} more` : ""}`);
  }
  return faults.length === 0 ? undefined : new StepweaveError("validation", `the answer to \`${key}\` has ${faults.join(", or ")}`);
}

async function faultsOf({ schemas, checks, placed }: Plan, tool: string, input: object): Promise<readonly string[]> {
  const faults: string[] = [];
  const known = inputOf(schemas, tool);
  const given = placed.get(`tools.${tool}`);
  const libraries = new Set([known?.library, given?.own, schemaBehind(checks.get(tool) ?? {})].filter((library) => library !== undefined));
  const own = known === undefined || known.library !== undefined || known.isShownOnly === true ? [] : [known.schema];
  const beside = known?.beside === undefined ? [] : [known.beside.schema];
  const validator = await loadValidator([...own, ...beside]);
  for (const schema of [...own, ...beside]) faults.push(...validator.check(schema, validator.fill(schema, input), MAX_LISTED).map((violation) => worded(violation, schema)));
  for (const library of libraries) faults.push(...(await issuesOf(library, input)));
  return faults;
}

async function issuesOf(library: StandardSchema, input: object): Promise<readonly string[]> {
  const checked = await checkStandard(library, input);
  return "value" in checked ? [] : checked.issues.map(({ at, message }) => (at === "" ? message : `${named(at)}: ${message}`));
}

function worded({ at, keyword, rule, missing }: Violation, schema: unknown): string {
  if (missing !== undefined) return `${named(`${at}/${missing}`)} is missing`;
  // Behind a reference the keyword stands elsewhere.
  const wanted = steps(rule).reduce<unknown>(member, schema);
  const said = wanted === undefined ? "" : JSON.stringify(wanted);
  return `${at === "" ? "it" : named(at)} does not meet \`${keyword}\`${said === "" || said.length > 60 ? "" : `: ${said}`}`;
}

function named(pointer: string): string {
  return `\`${steps(pointer).join(".")}\``;
}
