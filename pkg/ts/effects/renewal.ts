import type { SecretTable } from "./secrets.js";

/** What gets other values now, by whose secrets they are and their names. */
const underWay = new WeakMap<SecretTable, Map<string, Promise<void>>>();

/** Whether a secret has another value by now than the one that an endpoint refused; whoever is refused meanwhile waits for the same. */
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
  try {
    const value = await secrets.renewal(name)?.();
    if (value !== undefined) secrets.replace(name, value);
  } catch {
    // The refusal is what is reported, and its hint says what may be over.
  }
}
