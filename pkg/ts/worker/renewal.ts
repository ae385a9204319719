import type { Renew } from "../api/run.js";
import { newId } from "../effects/ids.js";
import type { ToPage, ToWorker } from "./messages.js";

/** The secrets of a run as data, and what renews some of them, which stays on its side. */
export interface Apart {
  readonly secrets: object | undefined;
  readonly renewals: ReadonlyMap<string, Renew>;
}

/** Takes apart what crosses to the worker and what cannot. What is wrong with a secret is reported over there. */
export function apart(secrets: object | undefined): Apart {
  const renewals = new Map<string, Renew>();
  if (typeof secrets !== "object" || secrets === null) return { secrets, renewals };
  for (const [name, secret] of Object.entries(secrets as Record<string, { readonly renew?: unknown } | null>)) {
    if (typeof secret === "object" && typeof secret?.renew === "function") renewals.set(name, () => (secret.renew as Renew)());
  }
  if (renewals.size === 0) return { secrets, renewals };
  const data = Object.entries(secrets as Record<string, object>).map(([name, secret]) => [name, renewals.has(name) ? { ...secret, renew: undefined, renews: true } : secret]);
  return { secrets: Object.fromEntries(data) as object, renewals };
}

/** The worker's side: each renewal is forwarded to the page, and waits for the value. */
export class Renewals {
  readonly #say: (message: ToPage) => void;
  readonly #waiting = new Map<string, (message: Extract<ToWorker, { stepweave: "renewed" }>) => void>();

  constructor(say: (message: ToPage) => void) {
    this.#say = say;
  }

  /** Secrets of a run with what renews them. */
  joined(run: string, secrets: object | undefined): object | undefined {
    if (typeof secrets !== "object" || secrets === null) return secrets;
    return Object.fromEntries(
      Object.entries(secrets as Record<string, { readonly renews?: unknown } | null>).map(([name, secret]) => {
        if (typeof secret !== "object" || secret?.renews !== true) return [name, secret];
        const { renews: _renews, ...rest } = secret;
        return [name, { ...rest, renew: () => this.#renewed(run, name) }];
      }),
    );
  }

  hear(message: Extract<ToWorker, { stepweave: "renewed" }>): void {
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  #renewed(run: string, secret: string): Promise<string> {
    const id = newId();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ value }) => (value === undefined ? reject(new Error("the page has no other value")) : resolve(value)));
      this.#say({ stepweave: "renew", id, run, secret });
    });
  }
}
