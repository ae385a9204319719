import type { Json, ToolDocument, WorkflowDocument } from "../api/document.js";
import { isObject } from "../api/json.js";
import type { Model } from "../api/model.js";
import { originOf } from "../effects/origin.js";
import { addressOf } from "../models/providers.js";
import type { Functions } from "../run/functions.js";
import { documentWithin, type Parts, type Program } from "../run/program.js";
import { reading } from "../schema/options.js";
import { bring, objectOf } from "./bring.js";
import { checkedToo, checkNamed, saysNothing } from "./guard.js";

/**
 * Another document with the code of a program. It can only be stricter than the code: a tool that needs approval there needs it
 * here, and what the document alone names is reached as what a stranger's document names.
 */
export function another(source: unknown, program: Program): Parts {
  const { origins, tools, handlers } = program;
  const document = reading("what withDocument() was given", () => held(documentWithin(source), program));
  const parts = bring(document, { handlers }, "withDocument()");
  return { ...parts, functions: guardedBy(program, document, parts.functions), tools, origins: new Set([...(origins === "all" ? namedIn(program.document) : origins), ...(parts.origins === "all" ? [] : parts.origins)]) };
}

/** The functions of a document, with what the code's schemas of its tools check beside it. */
function guardedBy({ functions: { schemas }, handlers }: Program, document: unknown, functions: Functions): Functions {
  const declared = objectOf(document)?.tools as WorkflowDocument["tools"];
  const placed = new Map(functions.placed);
  for (const [at, schema] of schemas) {
    const tool = at.slice("tools.".length, -".input".length);
    const check = checkNamed(Object(declared?.[tool]).input as Json | undefined, handlers);
    if (check !== undefined) placed.set(at, { name: check.name, call: checkedToo(check.call, tool, schema) });
  }
  return { ...functions, placed, schemas };
}

/** The document with what code demands of its tools that stand in documents as data. */
function held(source: unknown, { tools, document: own }: Program): unknown {
  const document = objectOf(source);
  if (tools === undefined || !isObject(document?.tools)) return source;
  const entries = Object.entries(document.tools).map(([name, declared]) => {
    const known = tools.has(name) ? (own as WorkflowDocument).tools?.[name] : undefined;
    return [name, known === undefined || !isObject(declared) ? declared : asStrict(declared, known)];
  });
  return { ...document, tools: Object.fromEntries(entries) };
}

/** Code that says nothing of approvals has the rule for all: what does more than read is asked about. */
function asStrict(declared: ToolDocument, own: ToolDocument): ToolDocument {
  const times = [declared.timeoutMs, own.timeoutMs].filter((ms) => typeof ms === "number");
  const strict = {
    ...declared,
    needsApproval: declared.needsApproval === true || own.needsApproval === false ? declared.needsApproval : own.needsApproval,
    input: inputOf(declared.input, own.input),
    timeoutMs: times.length === 0 ? declared.timeoutMs : Math.min(...times),
  };
  return Object.fromEntries(Object.entries(strict).filter(([, value]) => value !== undefined)) as ToolDocument;
}

/** The input that a model sees. The code's own check stays; its JSON Schema applies beside whatever a document says. */
function inputOf(declared: Json | undefined, own: Json | undefined): Json | undefined {
  const check = handlerIn(own);
  const isOwn = check === undefined ? declared !== undefined && !saysNothing(declared) : handlerIn(declared) === check;
  return isOwn ? declared : (own ?? declared);
}

function handlerIn(input: Json | undefined): unknown {
  return (Object(input) as { readonly handler?: unknown }).handler;
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
