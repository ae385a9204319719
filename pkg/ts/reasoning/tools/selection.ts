import { reading } from "../../schema/options.js";
import { Check, numberOr, spelled, type Kinds } from "../definition/check.js";

/** How the tools of a step are chosen. */
export interface ToolSelection {
  /** A tool is used when the model is at least this sure that it helps: from 0 to 1. */
  readonly confidenceThreshold: number;
  /** How many tools a step uses at most: the first ones that the model names. */
  readonly maxToolsPerStep: number;
  /**
   * The prompt of the model, with the placeholders `{task}`, `{context}` and `{tool_descriptions}`; `{{` and `}}`
   * are braces. The form of the answer is appended to it.
   */
  readonly promptTemplate?: string;
}

/** A {@link ToolSelection} as it is written; the names with underscores mean the same. */
export interface ToolSelectionOptions {
  readonly confidenceThreshold?: number | null | undefined;
  readonly maxToolsPerStep?: number | null | undefined;
  readonly promptTemplate?: string | null | undefined;
  readonly confidence_threshold?: number | null | undefined;
  readonly max_tools_per_step?: number | null | undefined;
  readonly prompt_template?: string | null | undefined;
}

const KINDS: Kinds = { confidenceThreshold: "a number", maxToolsPerStep: "a whole number", promptTemplate: "a text" };

const SPELLINGS: { readonly [snake: string]: string } = {
  confidence_threshold: "confidenceThreshold",
  max_tools_per_step: "maxToolsPerStep",
  prompt_template: "promptTemplate",
};

/** The placeholders of a prompt template. */
export const PLACES = ["task", "context", "tool_descriptions"] as const;

/** Braces that stand for themselves, names in braces, and braces that are alone. */
export const BRACES = /\{\{|\}\}|\{(\w*)\}|[{}]/g;

/**
 * Reads how tools are chosen, with the defaults filled in.
 *
 * ```ts
 * toolSelection({ confidenceThreshold: 0.8 }); // { confidenceThreshold: 0.8, maxToolsPerStep: 3 }
 * ```
 */
export function toolSelection(options: ToolSelectionOptions = {}): ToolSelection {
  return reading("the tool selection", () => {
    const check = new Check("the tool selection");
    const selection = readSelection(options, check, "");
    check.done();
    return selection;
  });
}

/** Reads a tool selection that belongs to something which a check is already looking at. `threshold` is what the threshold is called there. */
export function readSelection(options: ToolSelectionOptions, check: Check, prefix: string, threshold = "confidenceThreshold"): ToolSelection {
  const given = spelled(options, SPELLINGS);
  check.options(given, KINDS, prefix);
  const { confidenceThreshold, maxToolsPerStep, promptTemplate } = Object(given) as ToolSelectionOptions;
  const confidence = confidenceThreshold ?? 0.7;
  const most = maxToolsPerStep ?? 3;
  if (typeof confidence === "number" && !(confidence >= 0 && confidence <= 1)) {
    check.refuse(`${prefix}${threshold}`, "out_of_range", `cannot have the confidence threshold ${confidence}`, "take one from 0 to 1");
  }
  if (most === 0) check.refuse(`${prefix}maxToolsPerStep`, "out_of_range", "cannot use 0 tools per step", "take at least 1; useTools: false uses none");
  if (typeof promptTemplate === "string") {
    for (const stranger of strangersIn(promptTemplate)) {
      check.refuse(`${prefix}promptTemplate`, "unknown_placeholder", `has ${stranger} in its prompt template`, "use {task}, {context} and {tool_descriptions}; write {{ and }} for braces");
    }
  }
  return Object.freeze({
    confidenceThreshold: confidence,
    maxToolsPerStep: most,
    ...(promptTemplate != null && { promptTemplate }),
  });
}

/** What a step or an agent says of its tools: whole, in the short options with the rest at the defaults, or not at all. */
export function selectionOf({ toolSelection, toolConfidence, maxToolsPerStep }: SelectionOptions, check: Check): ToolSelection | undefined {
  if (typeof toolSelection === "object" && toolSelection !== null) return readSelection(toolSelection, check, "toolSelection.");
  if ((toolConfidence ?? maxToolsPerStep) == null) return undefined;
  // A value of a wrong type is reported under the name of the short option.
  const short = { confidenceThreshold: numberOr(toolConfidence), maxToolsPerStep: numberOr(maxToolsPerStep) };
  return readSelection(short, check, "", "toolConfidence");
}

/** The options that say how tools are chosen. */
export interface SelectionOptions {
  /** How tools are chosen, all of it; excludes the short options. */
  toolSelection?: ToolSelectionOptions | null | undefined;
  /** The confidence threshold alone. */
  toolConfidence?: number | null | undefined;
  /** The number of tools alone. */
  maxToolsPerStep?: number | null | undefined;
}

function strangersIn(template: string): string[] {
  const known: readonly (string | undefined)[] = PLACES;
  const found = [...template.matchAll(BRACES)];
  return found.filter(([text, name]) => (name === undefined ? text.length === 1 : !known.includes(name))).map(([text]) => text);
}
