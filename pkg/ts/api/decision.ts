/** A tool that a model selected for a step. */
export interface ChosenTool {
  readonly toolName: string;
  readonly arguments: { readonly [name: string]: any };
  /** How confident the model is that the tool helps, from 0 to 1. */
  readonly confidence: number;
  readonly reasoning: string;
}

/** Its outcome: an error message, or the tool's result. The other one is null. */
export interface ToolDecision extends ChosenTool {
  readonly error: string | null;
  readonly result: any;
}
