// What stands in the place of a node that cannot be taken over, and how the others read it.
import { key } from "./text";

/** What a placeholder runs: it fails, and says why. */
export function failing(says: string): { code: string } {
  return { code: `throw new Error(${JSON.stringify(says)});` };
}

/** What whoever mends a placeholder has to give, so that the others find it. */
export function wanted(step: string): string {
  return `Give what it gave as the key \`${step}_output\`.`;
}

/** A document that reads these steps by their keys: only so code can read them too, whatever stands in their place. */
export function readByKey<Document>(document: Document, steps: ReadonlySet<string>): Document {
  if (steps.size === 0) return document;
  const read = (text: string): string =>
    text.replace(/steps\[("(?:[^"\\]|\\.)*")\]\.output\b/g, (whole, quoted: string) => {
      const step = JSON.parse(quoted) as string;
      return steps.has(step) ? key(`${step}_output`) : whole;
    });
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => (typeof value === "string" ? read(value) : value)) as Document;
}
