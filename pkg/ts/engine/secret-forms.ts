/** Shorter values hide nothing: local servers are given keys such as `none`, and taking those out would only make texts unreadable. */
export const SHORTEST_SECRET = 8;

/** The forms in which a secret's value may come back: as it is, inside of JSON, or of an address. None of a value that is too short to be hidden. */
export function formsOf(value: string): readonly string[] {
  if (value.length < SHORTEST_SECRET) return [];
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])];
}

/** The longest first, since one may begin with another. */
export function longestFirst(one: string, other: string): number {
  return other.length - one.length;
}

/** What a header says behind the word `Bearer` or its like, where there is one. */
export function withoutScheme(header: string): string {
  return header.slice(header.lastIndexOf(" ") + 1);
}
