/** A tool that a model chose for a step. */
export interface ChosenTool {
  readonly toolName: string;
  readonly arguments: { readonly [name: string]: any };
  /** How sure the model is that the tool helps, from 0 to 1. */
  readonly confidence: number;
  readonly reasoning: string;
}

/** What became of it: an error in words, or what the tool gave. The other one is null. */
export interface ToolDecision extends ChosenTool {
  readonly error: string | null;
  readonly result: any;
}
