import { StepweaveError } from "../api/errors.js";
import { reading } from "../schema/options.js";
import { digest } from "./digest.js";
import type { Authorize } from "./options.js";

/** How many characters a token has at least. */
export const MIN_TOKEN = 16;

/** What demands a token in the header `Authorization`. */
const bearers = new WeakSet<Authorize>();

/** Whether this is what {@link bearer} made, as it is: what a function of somebody's own demands nobody knows. */
export function isBearer(authorize: Authorize | undefined): boolean {
  return authorize !== undefined && bearers.has(authorize);
}

/**
 * Lets in who sends `Authorization: Bearer <token>`: the principal is the name of the token. The comparison takes the same
 * time for every token that is sent.
 *
 * ```ts
 * const serve = handler(workflow, { authorize: bearer({ shop: token }) });
 * ```
 */
export function bearer(tokens: Readonly<Record<string, string | undefined>>): Authorize {
  const named = reading("the tokens of bearer()", () => Object.entries(tokens ?? {}));
  const bad = named.find(([, token]) => typeof token !== "string" || token.length < MIN_TOKEN);
  if (bad !== undefined || named.length === 0) {
    throw new StepweaveError("validation", bad === undefined ? "bearer() has no tokens" : `the token \`${bad[0]}\` of bearer() is ${typeof bad[1] === "string" ? `shorter than ${MIN_TOKEN} characters` : "missing"}`, {
      hint: "set it where the program runs, for example with `openssl rand -hex 32`: whoever has it can start runs",
    });
  }
  if (named.some(([name]) => name === "")) {
    throw new StepweaveError("validation", "a token of bearer() has an empty name", { hint: "name who has it: bearer({ shop: token })" });
  }
  let known: Promise<readonly (readonly [string, Uint8Array])[]> | undefined;
  const authorize: Authorize = async (request) => {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (given === undefined) return undefined;
    known ??= Promise.all(named.map(async ([name, token]) => [name, await digest(token as string)] as const));
    const sent = await digest(given);
    // Every token is compared, each in whole, and digests have one length: the time says nothing of any.
    return (await known).reduce<string | undefined>((found, [name, token]) => (isEqual(sent, token) ? name : found), undefined);
  };
  bearers.add(authorize);
  return authorize;
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] as number)), 0) === 0;
}
