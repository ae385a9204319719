/** What the port's `fetch` is given, as JSON text. */
export interface EngineRequest {
  /** The number in the plan of the function to call, instead of an address. */
  readonly function?: number;
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly auth?: { readonly secret: string; readonly header: string; readonly prefix: string };
  /** Whose endpoint it is, such as `ollama`. */
  readonly provider: string;
  /** How long its bytes are waited for, in milliseconds. */
  readonly waits: { readonly firstByteMs?: number; readonly silenceMs?: number };
}
