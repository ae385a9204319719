import type { ToolDocument, WorkflowDocument } from "../api/document.js";
import type { Model } from "../api/model.js";
import { originOf } from "../effects/origin.js";
import { addressOf } from "../models/providers.js";
import type { Parts, Program } from "../run/program.js";
import { reading } from "../schema/options.js";
import { bring, isRecord, objectOf } from "./bring.js";

/**
 * Another document with the code of a program. It can only be stricter than the code: a tool that needs approval there needs it
 * here, and what the document alone names is reached as what a stranger's document names.
 */
export function another(source: unknown, program: Program): Parts {
  const { origins, tools, handlers } = program;
  const parts = reading("what withDocument() was given", () => bring(held(source, program), { handlers }, "withDocument()"));
  return { ...parts, tools, origins: new Set([...(origins === "all" ? namedIn(program.document) : origins), ...(parts.origins === "all" ? [] : parts.origins)]) };
}

/** The document with the approvals that code demands for its tools that stand in documents as data. */
function held(source: unknown, { tools, document: own }: Program): unknown {
  const document = objectOf(source);
  if (tools === undefined || !isRecord(document?.tools)) return source;
  const entries = Object.entries(document.tools).map(([name, declared]) => {
    const known = tools.has(name) ? (own as WorkflowDocument).tools?.[name] : undefined;
    return [name, known === undefined || !isRecord(declared) ? declared : asStrict(declared, known)];
  });
  return { ...document, tools: Object.fromEntries(entries) };
}

/** Code that says nothing has the rule for all: what does more than read is asked about. */
function asStrict({ needsApproval: declared, ...rest }: ToolDocument, { needsApproval: own }: ToolDocument): ToolDocument {
  const needsApproval = declared === true ? declared : own === false ? declared : own;
  return needsApproval === undefined ? rest : { ...rest, needsApproval };
}

/** The origins of all addresses that a document of code has. */
function namedIn(document: unknown): Set<string> {
  const found = new Set<string>();
  const add = (address: unknown): void => {
    const origin = originOf(address);
    if (origin !== undefined) found.add(origin);
  };
  for (const model of Object.values((document as WorkflowDocument).models ?? {})) add(addressOf(model as Model));
  JSON.stringify(document, (_, value: unknown) => {
    if (typeof value === "string" && /^https?:\/\//i.test(value)) add(value);
    return value;
  });
  return found;
}
