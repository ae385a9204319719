import { StepweaveError } from "../../api/errors.js";
import { APPLICATORS, CONDITIONS, DEPENDENCIES, DEPENDENT, reference } from "./applicators.js";
import { ASSERTIONS } from "./assertions.js";
import { LEFTOVERS, LISTS, LISTS_BEFORE_2020 } from "./lists.js";
import type { Draft, Keyword } from "./node.js";

const NAMES: readonly (readonly [RegExp, Draft])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, 2020],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, 2019],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 7],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, 6],
];

// Newer drafts split `dependencies` in two; schemas that were not rewritten still mean it.
const EVERY = [...APPLICATORS, ...ASSERTIONS, ...DEPENDENCIES];

/** The keywords of each draft. Other keywords require nothing. */
const KEYWORDS: Readonly<Record<Draft, readonly (readonly [string, Keyword])[]>> = {
  6: [...EVERY, ...LISTS_BEFORE_2020],
  7: [...EVERY, ...LISTS_BEFORE_2020, ...CONDITIONS],
  2019: [...EVERY, ...LISTS_BEFORE_2020, ...DEPENDENT, ...CONDITIONS, ["$recursiveRef", reference]],
  2020: [...EVERY, ...LISTS, ...DEPENDENT, ...CONDITIONS, ["$dynamicRef", reference]],
};

/** The keywords of a draft, in the order in which they are read. */
export function keywordsOf(draft: Draft): readonly (readonly [string, Keyword])[] {
  return KEYWORDS[draft];
}

/** The keywords that come last. */
export function leftoversOf(draft: Draft): readonly (readonly [string, Keyword])[] {
  return draft >= 2019 ? LEFTOVERS : [];
}

/** The draft that a schema names. */
export function draftOf(name: unknown): Draft {
  const found = NAMES.find(([pattern]) => pattern.test(String(name)));
  if (found !== undefined) return found[1];
  throw new StepweaveError("validation", `the schema is written for ${JSON.stringify(name)}, which is not read here`, {
    hint: "write it for draft 2020-12, 2019-09, 07 or 06, or leave `$schema` out",
  });
}
