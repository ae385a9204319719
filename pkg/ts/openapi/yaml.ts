import { CORE_SCHEMA, load, mergeTag } from "js-yaml";

/** Aliases that a text may use. They are references to one value, so that they cost nothing until somebody walks along them. */
const MAX_ALIASES = 10_000;
/** Keys that merging (`<<`) may copy. */
const MAX_MERGED = 10_000;

/** The value that a YAML text says, in the types that JSON has: a date stays a text. */
export function readYaml(text: string, maxDepth: number): unknown {
  return load(text, { schema: CORE_SCHEMA.withTags(mergeTag), maxDepth, maxAliases: MAX_ALIASES, maxTotalMergeKeys: MAX_MERGED });
}
