/** File systems end a name at 255 bytes. */
const PART = 100;

/**
 * A key for any id: of characters that every driver keeps as they are, also where names ignore case. A long one has
 * segments, which drivers that write files turn into folders.
 */
export function nameFromId(id: string): string {
  const escaped = id.replace(/[^a-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const parts = escaped.match(new RegExp(`.{1,${PART}}`, "g")) ?? [""];
  // No segment is a number, as the keys of entries are.
  return `id-${parts.join(":-")}`;
}

/** The id that {@link nameFromId} made this name of. */
export function idFromName(name: string): string {
  const escaped = name.slice("id-".length).replaceAll(":-", "");
  return escaped.replace(/_([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));
}
