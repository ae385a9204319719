import { binary } from "../json/base64.js";
import { afterTurn } from "./clock.js";
import { LARGE, type SecretTable } from "./secrets.js";

/** Places near each other that are tried for a cut. */
const TRIES = 1000;

type Hiding = (text: string) => string;

/** What an answer has, without secrets in its large texts: they are looked through in slices, with a turn for others between. */
export async function withoutSecrets(value: unknown, secrets: SecretTable): Promise<unknown> {
  const looked = new Set<string>();
  const { texts } = secrets;
  const clean = await replaced(value, async (text) => {
    const shown = await inSlices(text, (slice) => secrets.redact(slice), reachOf(secrets));
    looked.add(shown);
    return shown;
  });
  // What is to be hidden since then has been looked for in a part only.
  if (texts === secrets.texts) secrets.looked(looked);
  return clean;
}

/** The same of bytes, and of few of them too: in their base64 only a part of all forms is seen. */
export async function bytesWithoutSecrets(bytes: Uint8Array, secrets: SecretTable): Promise<Uint8Array> {
  if (secrets.isEmpty) return bytes;
  const text = binary(bytes);
  const shown = await inSlices(text, (slice) => secrets.redactBinary(slice), reachOf(secrets));
  if (shown === text) return bytes;
  const clean = new Uint8Array(shown.length);
  for (let at = 0; at < shown.length; at += 1) clean[at] = shown.charCodeAt(at);
  return clean;
}

/** How far from a cut a secret that goes over it may reach: no character is written with more than ten. */
function reachOf({ texts }: SecretTable): number {
  return 10 * (texts[0]?.length ?? 0) + 64;
}

/** A value that is nobody else's, with other large texts in their places. */
async function replaced(value: unknown, other: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof value === "string") return value.length > LARGE ? other(value) : value;
  const large: (readonly [place: Record<string, unknown>, key: string])[] = [];
  const open = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== "object" || one === null) continue;
    for (const [key, member] of Object.entries(one as Record<string, unknown>)) {
      if (typeof member === "object") open.push(member);
      else if (typeof member === "string" && member.length > LARGE) large.push([one as Record<string, unknown>, key]);
    }
  }
  for (const [place, key] of large) Object.defineProperty(place, key, { value: await other(place[key] as string), enumerable: true, configurable: true, writable: true });
  return value;
}

async function inSlices(text: string, hide: Hiding, reach: number): Promise<string> {
  const shown: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = await cutFrom(text, from + LARGE, hide, reach);
    shown.push(hide(text.slice(from, to)));
    from = to;
    await new Promise<void>(afterTurn);
  }
  return shown.join("");
}

/** Where a text can be cut from there on: where both parts by themselves show what they show together. */
async function cutFrom(text: string, from: number, hide: Hiding, reach: number): Promise<number> {
  for (let near = from; text.length - near > LARGE; near += LARGE) {
    for (let cut = near; cut < near + TRIES; cut += 1) {
      const [before, after] = [text.slice(cut - reach, cut), text.slice(cut, cut + reach)];
      if (hide(before) + hide(after) === hide(before + after)) return cut;
      await new Promise<void>(afterTurn);
    }
  }
  return text.length;
}
