// Texts of n8n in which expressions stand.
import { mayLook } from "../javascript";

/** Whether a text reads something. */
export function isExpression(value: string): boolean {
  if (value.startsWith("=") && value.includes("{{")) return true;
  // What stands before each brace is looked at once.
  return value.split("}").some((part) => part.includes("{{") && /\$(?:json|node|input|\()/.test(part.slice(part.indexOf("{{"))));
}

/** A text with `{{ }}`, in its pieces. */
export function piecesOf(value: string): { text: string; code?: string }[] {
  const pieces: { text: string; code?: string }[] = [];
  const body = value.startsWith("=") ? value.slice(1) : value;
  let from = 0;
  for (let open = body.indexOf("{{"); open >= 0; open = body.indexOf("{{", from)) {
    const close = closeOf(body, open + 2);
    if (close < 0) break;
    if (open > from) pieces.push({ text: body.slice(from, open) });
    pieces.push({ text: "", code: body.slice(open + 2, close) });
    from = close + 2;
  }
  if (from < body.length) pieces.push({ text: body.slice(from) });
  return pieces;
}

/** Letters of an expression in which its end is looked for between its own braces. */
const MOST_LOOKED_IN = 2_000;

/** Where an expression ends: at the first `}}` that is no end of an object in it, or of a text. */
function closeOf(body: string, from: number): number {
  const first = body.indexOf("}}", from);
  if (first < 0) return first;
  let [depth, quote] = [0, ""];
  for (let at = from; at < Math.min(body.length, from + MOST_LOOKED_IN); at += 1) {
    const letter = body[at] as string;
    if (letter === "\\") at += 1;
    else if (quote !== "") quote = letter === quote ? "" : quote;
    else if (/["'`]/.test(letter)) quote = letter;
    else if (letter === "{") depth += 1;
    else if (letter === "}" && depth > 0) depth -= 1;
    else if (letter === "}" && body[at + 1] === "}") return at;
    else if (letter === "}") break;
  }
  // Each of these costs as much as many parts of expressions do.
  return mayLook(MOST_LOOKED_IN / 100) ? first : -1;
}
