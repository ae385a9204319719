import type { AnswerSource } from "../api/answer.js";
import type { MediaPart } from "../api/conversation.js";
import { ERROR_CODES, type StepRef } from "../api/errors.js";
import type { PublicError } from "../api/public-error.js";
import type { PublicPending, PublicStepResult } from "../api/public-event.js";
import type { Usage } from "../api/usage.js";
import { STATUSES } from "../journal/summary.js";
import type { HttpProblem } from "./problem.js";
import type { HttpRun, HttpRuns, ListedHttpRun } from "./responses.js";

type RequiredKey<Value> = { [Key in keyof Value]-?: object extends Pick<Value, Key> ? never : Key }[keyof Value];

/** The members that are always there, and those that may be left out: each of a type, and no other. */
type Always<Value> = { readonly [Key in RequiredKey<Value>]: object };
type Sometimes<Value> = { readonly [Key in Exclude<keyof Value, RequiredKey<Value>>]-?: object };

const TEXT = { type: "string" };
const NUMBER = { type: "number" };
const COUNT = { type: "integer", minimum: 0 };
const TRUTH = { type: "boolean" };
const TIME = { type: "number", description: "Milliseconds since 1970" };
const ANY = {};

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: object): object => ({ type: "array", items });

/** The schema of an object; where its type gets another member, this does not compile until it is described. */
function objectOf<Value>(always: Always<Value>, sometimes: Sometimes<Value>): object {
  return { type: "object", ...(Object.keys(always).length > 0 && { required: Object.keys(always) }), properties: { ...always, ...sometimes } };
}

/** What callers get, as `components.schemas` of an OpenAPI description: the types that say it are those of the responses. */
export const RESPONSE_SCHEMAS = {
  Result: objectOf<HttpRun>(
    { runId: TEXT, status: { enum: STATUSES } },
    {
      state: { type: "object" },
      stepResults: listOf(ref("StepResult")),
      usage: ref("Usage"),
      errors: listOf(ref("Error")),
      message: TEXT,
      error: ref("Error"),
      pending: listOf(ref("Pending")),
      wakeAt: TIME,
      startedAt: TIME,
      updatedAt: TIME,
      ignored: { ...listOf(TEXT), description: "The keys of answers that came too late" },
    },
  ),
  Pending: objectOf<PublicPending>(
    { key: { ...TEXT, description: "The key under which the answer is sent" }, step: ref("Step") },
    {
      message: TEXT,
      schema: { description: "The JSON Schema of the answer" },
      expiresAt: TIME,
      tool: objectOf<NonNullable<PublicPending["tool"]>>({ name: TEXT, callId: TEXT }, { input: { description: "What the tool is to be called with, for who may answer" } }),
    },
  ),
  Step: objectOf<StepRef>({ id: TEXT, path: TEXT, name: TEXT, key: TEXT }, {}),
  StepResult: objectOf<PublicStepResult>(
    { id: TEXT, path: TEXT, name: TEXT, key: TEXT, status: { enum: ["done", "error", "skipped", "cancelled", "suspended"] satisfies PublicStepResult["status"][] }, attempts: COUNT, startedAt: TIME, durationMs: NUMBER },
    { output: ANY, error: ref("Error"), usage: ref("Usage"), simulated: TRUTH, pinned: TRUTH, text: TEXT, sources: listOf(ref("Source")), files: listOf(ref("File")) },
  ),
  Source: objectOf<AnswerSource>({}, { url: TEXT, title: TEXT, text: TEXT }),
  File: objectOf<MediaPart>({ type: { enum: ["image", "file"] satisfies MediaPart["type"][] }, mediaType: TEXT }, { data: TEXT, url: TEXT, name: TEXT }),
  Usage: objectOf<Usage>({ inputTokens: COUNT, outputTokens: COUNT }, { cachedInputTokens: COUNT, cacheWriteTokens: COUNT, reasoningTokens: COUNT, cost: NUMBER }),
  Error: objectOf<PublicError>({ code: { enum: [...ERROR_CODES] }, message: TEXT }, { hint: TEXT, step: ref("Step") }),
  Runs: objectOf<HttpRuns>(
    { runs: listOf(objectOf<ListedHttpRun>({ runId: TEXT, status: { enum: STATUSES }, updatedAt: TIME }, { wakeAt: TIME })) },
    { cursor: { ...TEXT, description: "There are more: the `cursor` of the next page" } },
  ),
  Problem: objectOf<HttpProblem>({ type: TEXT, title: TEXT, status: { type: "integer" }, code: TEXT, detail: TEXT }, { hint: TEXT, step: ref("Step"), runId: TEXT }),
};
