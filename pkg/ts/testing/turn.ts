import type { ModelAnswer, ModelContext, ModelPart, ModelRequest } from "../api/model-request.js";

/** A chunk of a scripted answer. An error is thrown at its position: everything before it has been emitted. */
export type ScriptedPart = ModelPart | string | Error;

/** What the model answers to one request: a piece, several, or a function that gives them. */
export type ScriptedTurn = ScriptedPart | readonly ScriptedPart[] | ScriptedFunction;

/** A turn that depends on the request. */
export type ScriptedFunction = (
  request: ModelRequest,
  context: ModelContext,
) => ScriptedPart | readonly ScriptedPart[] | ModelAnswer | PromiseLike<ScriptedPart | readonly ScriptedPart[]>;
