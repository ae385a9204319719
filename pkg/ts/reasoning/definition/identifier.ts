/**
 * Whether a string can name a step: a letter or an underscore of any script, then letters, digits, underscores. Keywords
 * of a language, such as `class`, are names like any other.
 *
 * ```ts
 * isIdentifier("größe_2"); // true
 * isIdentifier("2nd-try"); // false
 * ```
 */
export function isIdentifier(text: string): boolean {
  return typeof text === "string" && /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text);
}
