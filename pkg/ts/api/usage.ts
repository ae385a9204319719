/** Tokens that models counted, and what they cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the prompts, those that the endpoint had kept. */
  readonly cachedInputTokens?: number;
  /** Of the prompts, those that the endpoint keeps from then on. */
  readonly cacheWriteTokens?: number;
  /** Of the answers, those of the reasoning. */
  readonly reasoningTokens?: number;
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
}
