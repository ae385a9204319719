import { StepweaveError } from "../api/errors.js";

/** What an endpoint said that refused a request which a model sent by itself. */
export interface Refusal {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** Whose it is: its origin, or the provider's name. */
  readonly origin: string;
}

/** Such a refusal on its way to the engine, which says what it means. */
export class RefusedError extends StepweaveError {
  readonly refused: Refusal;

  constructor(refused: Refusal, cause?: unknown) {
    super("model", `${refused.origin} refused a request (status ${refused.status})`, { cause });
    this.refused = refused;
  }
}
