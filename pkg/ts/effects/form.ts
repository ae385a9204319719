/**
 * The fields of a form that were filled in. A page sends an `<input type="file">` in which nothing was chosen as a file without
 * a name and without bytes.
 */
export function filledIn(form: FormData): readonly (readonly [string, string | File])[] {
  return [...form].filter(([, value]) => typeof value === "string" || value.name !== "" || value.size > 0);
}
