import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { MOST } from "./report";

/** The value that a YAML text says, in the types that JSON has. Aliases are references; who walks along them counts. */
export function readYaml(text: string): unknown {
  return load(text, { schema: CORE_SCHEMA.withTags(mergeTag), maxDepth: MOST.depth * 4, maxAliases: 10_000, maxTotalMergeKeys: 10_000 });
}
