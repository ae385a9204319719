/** The parts of the engine that only some documents need, by the bits under which the engine speaks of them. */
const BITS = { templates: 1, models: 2 } as const;

/** A part of the engine: `templates` reads templates and expressions, `models` is what agents ask. */
export type Part = keyof typeof BITS;

/** The bits of some parts. */
export function bitsOf(parts: readonly Part[]): number {
  return parts.reduce((bits, part) => bits | BITS[part], 0);
}

/** The parts that these bits stand for. */
export function partsOf(bits: number): readonly Part[] {
  return (Object.keys(BITS) as Part[]).filter((part) => (bits & BITS[part]) !== 0);
}
