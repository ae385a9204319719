import { typeOf } from "../json/type.js";
import { applied } from "../schema/members.js";
import type { Input } from "./input.js";

/** The types that the input may have under this name; none where it does not say. */
export function typesOf(input: Input, name: string): readonly unknown[] {
  return typesIn(said(input, name));
}

/** The types that the items of a list may have under this name. */
export function itemTypesOf(input: Input, name: string): readonly unknown[] {
  return typesIn(said(input, name).flatMap(({ items }) => applied(items, input.schema)));
}

/** Whether the file itself stands under this name, and not a list of files. */
export function isFile(input: Input, name: string): boolean {
  return ofFiles(typesOf(input, name));
}

/** Whether the input has a list under this name of what is read of files. */
export function isListOfFiles(input: Input, name: string): boolean {
  return typesOf(input, name).includes("array") && ofFiles(itemTypesOf(input, name));
}

/** A text is no object, and a file nothing else. */
function ofFiles(types: readonly unknown[]): boolean {
  return types.length > 0 && types.every((type) => type === "object" || type === "null");
}

/** A schema that names its values and no type has the types of these. */
function typesIn(schemas: readonly { readonly [keyword: string]: unknown }[]): readonly unknown[] {
  return schemas.flatMap((schema) => schema["type"] ?? [...listed(schema["enum"]), ...("const" in schema ? [schema["const"]] : [])].map(typeOf));
}

function listed(values: unknown): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

/** What is said of a member, also where that is referred to, or one of several. */
function said(input: Input, name: string): readonly { readonly [keyword: string]: unknown }[] {
  return (input.members.get(name) ?? []).flatMap((schema) => applied(schema, input.schema));
}
