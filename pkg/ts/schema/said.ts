import type { Json } from "../api/document.js";
import type { Handlers } from "../api/functions.js";
import { copyJson } from "../json/copy.js";
import { schemaBehind } from "./fit.js";
import { jsonSchemaOf } from "./standard.js";

/** The JSON Schema of what a document names as a schema: itself, or what the library behind its check derives. */
export function schemaSaid(schema: any, side: "input" | "output", handlers: Handlers): Json | undefined {
  if (typeof schema?.handler !== "string") return schema;
  const check = Object.hasOwn(handlers, schema.handler) ? handlers[schema.handler] : undefined;
  const standard = check && schemaBehind(check);
  return standard === undefined ? schema.schema : (copyJson(jsonSchemaOf(standard, side), "schema") as Json);
}
