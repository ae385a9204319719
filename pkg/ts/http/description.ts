import type { WorkflowDocument } from "../api/document.js";
import type { Input } from "./input.js";

/** A description of the handler's addresses, as OpenAPI 3.1. */
export function descriptionOf({ name, description }: WorkflowDocument, { schema, keys }: Input, path: string): object {
  const state = keys === undefined || schema !== undefined ? (schema ?? {}) : { type: "object", additionalProperties: false };
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const json = (schema: object): object => ({ "application/json": { schema } });
  const failure = { description: "What went wrong", content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } };
  const result = { description: "The run's result", content: { ...json({ $ref: "#/components/schemas/Result" }), "text/event-stream": { schema: { type: "string" } } } };
  const waiting = { description: "The run goes on, or waits for a person", content: json({ $ref: "#/components/schemas/Result" }) };
  const run = { 200: result, 202: waiting, default: failure };
  return {
    openapi: "3.1.0",
    info: { title: name, version: "1", ...(description !== undefined && { description }) },
    paths: {
      [`${path}/runs`]: {
        post: {
          operationId: "startRun",
          summary: "Start a run",
          parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string", pattern: "^[!-~]{1,255}$" } }],
          requestBody: { required: keys?.size !== 0, content: json(state as object) },
          responses: run,
        },
        get: {
          operationId: "listRuns",
          summary: "List your runs",
          parameters: ["status", "cursor", "limit"].map((query) => ({ name: query, in: "query", schema: { type: query === "limit" ? "integer" : "string" } })),
          responses: { 200: { description: "A page of runs", content: json({ type: "object" }) }, default: failure },
        },
      },
      [`${path}/runs/{id}`]: {
        get: { operationId: "getRun", summary: "See a run", parameters: [id], responses: run },
        delete: { operationId: "cancelRun", summary: "Cancel a run", parameters: [id], responses: { 204: { description: "It is cancelled" }, default: failure } },
      },
      [`${path}/runs/{id}/events`]: {
        get: {
          operationId: "followRun",
          summary: "Follow the events of a run",
          parameters: [id, { name: "Last-Event-ID", in: "header", schema: { type: "string" } }],
          responses: { 200: { description: "Its events", content: { "text/event-stream": { schema: { type: "string" } } } }, default: failure },
        },
      },
      [`${path}/runs/{id}/answers`]: {
        post: {
          operationId: "answerRun",
          summary: "Answer what a run waits for, by the keys of its `pending`",
          parameters: [id],
          requestBody: { required: true, content: json({ type: "object" }) },
          responses: run,
        },
      },
    },
    components: {
      schemas: {
        Result: { type: "object", required: ["runId", "status"], properties: { runId: { type: "string" }, status: { enum: ["running", "suspended", "done", "error", "budget", "cancelled"] }, state: {}, message: { type: "string" }, pending: { type: "array" } } },
        Problem: { type: "object", required: ["type", "title", "status", "code", "detail"], properties: { type: { type: "string" }, title: { type: "string" }, status: { type: "integer" }, code: { type: "string" }, detail: { type: "string" }, hint: { type: "string" }, runId: { type: "string" } } },
      },
    },
  };
}
