import type { Check } from "./check.js";
import type { StepOptions } from "./options.js";

/** Options that cannot stand together: the code that each case has for ever, and what is wrong. */
export type Exclusion = readonly [code: string, clash: (options: Partial<StepOptions>) => unknown, message: string, hint: string];

/** What no step can be. */
export const OF_STEPS: readonly Exclusion[] = [
  ["stream_with_json", ({ stream, jsonOutput }) => stream && jsonOutput, "has `stream` and `jsonOutput`", "leave one out: an answer is read as JSON when it is whole"],
  ["stream_with_return_type", ({ stream, returnType }) => stream && returnType != null, "has `stream` and `returnType`", "leave one out: an answer is checked when it is whole"],
  ["json_with_full_response", ({ jsonOutput, returnFullResponse }) => jsonOutput && returnFullResponse, "has `jsonOutput` and `returnFullResponse`", "leave one out"],
  ["return_type_without_json", ({ jsonOutput, returnType }) => returnType != null && !jsonOutput, "has `returnType` without `jsonOutput`", "add jsonOutput: true"],
  [
    "tool_selection_twice",
    ({ toolSelection, toolConfidence, maxToolsPerStep }) => toolSelection != null && (toolConfidence ?? maxToolsPerStep) != null,
    "has `toolSelection` and one of `toolConfidence`, `maxToolsPerStep`",
    "say it all in `toolSelection`, or leave that out",
  ],
];

/** The same where `toolModel` is one of the short options: in the helpers and for a whole agent. In a record it is a separate field. */
export const OF_HELPERS: readonly Exclusion[] = [
  ...OF_STEPS,
  [
    "tool_selection_twice",
    ({ toolSelection, toolConfidence, toolModel, maxToolsPerStep }) => toolSelection != null && toolModel != null && (toolConfidence ?? maxToolsPerStep) == null,
    "has `toolSelection` and `toolModel`",
    'leave one out, or write the step as step({ type: "think", func, toolSelection, toolModel })',
  ],
];

/** Notes every case of options that cannot stand together. */
export function refuseExclusions(options: Partial<StepOptions>, check: Check, exclusions: readonly Exclusion[]): void {
  for (const [code, clash, message, hint] of exclusions) if (clash(options)) check.refuse("", code, message, hint);
}
