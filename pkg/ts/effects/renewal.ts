import { reasonOf, StepweaveError } from "../api/errors.js";
import type { SecretTable } from "./secrets.js";

/** What gets other values now, by whose secrets they are and their names. */
const underWay = new WeakMap<SecretTable, Map<string, Promise<void>>>();

/**
 * Whether a secret has another value by now than the one that an endpoint refused; whoever is refused meanwhile waits for the same.
 * Throws `auth` where none is to be had.
 */
export async function isRenewed(secrets: SecretTable, name: string, refused: string): Promise<boolean> {
  if (secrets.valueOf(name) === refused) {
    const renewals = underWay.get(secrets) ?? new Map<string, Promise<void>>();
    underWay.set(secrets, renewals);
    let renewal = renewals.get(name);
    if (renewal === undefined) renewals.set(name, (renewal = renewed(secrets, name).finally(() => renewals.delete(name))));
    await renewal;
  }
  return secrets.valueOf(name) !== refused;
}

async function renewed(secrets: SecretTable, name: string): Promise<void> {
  const renew = secrets.renewal(name);
  if (renew === undefined) return;
  try {
    secrets.replace(name, await renew());
  } catch (error) {
    throw new StepweaveError("auth", `the secret ${name} was refused with 401, and its \`renew\` failed: ${secrets.redact(reasonOf(error))}`, {
      cause: error,
      hint: "look at what `renew` asks; it has to resolve to another value",
      retryable: false,
    });
  }
}
