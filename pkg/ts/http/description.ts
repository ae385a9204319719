import type { WorkflowDocument } from "../api/document.js";
import { STATUSES } from "../journal/summary.js";
import { isBearer } from "./bearer.js";
import { describedInput } from "./described-input.js";
import { takesAny, type Input } from "./input.js";
import type { Settings } from "./options.js";
import { RESPONSE_SCHEMAS } from "./response-schemas.js";

/** The scheme that `bearer()` demands. */
const BEARER = { security: [{ bearer: [] }], securitySchemes: { bearer: { type: "http", scheme: "bearer" } } };

/** A description of the handler's addresses, as OpenAPI 3.1. */
export function descriptionOf({ name, description }: WorkflowDocument, input: Input, { path, authorize, store, files }: Pick<Settings, "path" | "authorize" | "store" | "files">): object {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const json = (schema: object): object => ({ "application/json": { schema } });
  const component = (name: keyof typeof RESPONSE_SCHEMAS): object => ({ $ref: `#/components/schemas/${name}` });
  const given = describedInput(input, Object.keys(RESPONSE_SCHEMAS));
  const failure = { description: "What went wrong", content: { "application/problem+json": { schema: component("Problem") } } };
  const result = { description: "The run's result", content: { ...json(component("Result")), "text/event-stream": { schema: { type: "string" } } } };
  const waiting = { description: "The run goes on, or waits for a person", content: json(component("Result")) };
  const run = { 200: result, 202: waiting, default: failure };
  // In a store a run is found again: each response about it says where, also where it has failed.
  const found = store !== undefined && { headers: { Location: { description: "The address of the run", schema: { type: "string" } } } };
  const linked = store !== undefined && { links: { run: { operationId: "getRun", parameters: { id: "$response.body#/runId" } } } };
  const posted = { 200: { ...result, ...found, ...linked }, 202: { ...waiting, ...found, ...linked }, default: { ...failure, ...found } };
  const isOfBearer = isBearer(authorize);
  return {
    openapi: "3.1.0",
    info: { title: name, version: "1", ...(description !== undefined && { description }) },
    ...(given.dialect !== undefined && { jsonSchemaDialect: given.dialect }),
    ...(isOfBearer && { security: BEARER.security }),
    paths: {
      [`${path}/runs`]: {
        post: {
          operationId: "startRun",
          summary: "Start a run",
          // What is started twice with one key is found in the store.
          ...(store !== undefined && { parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string", pattern: "^[!-~]{1,255}$" } }] }),
          requestBody: { required: takesAny(input), content: { ...json(given.json), ...(files !== undefined && { "multipart/form-data": { schema: given.form } }) } },
          responses: posted,
        },
        // Of everyone, and without a store, no runs are listed.
        ...(store !== undefined && authorize !== undefined && {
          get: {
            operationId: "listRuns",
            summary: "List your runs",
            parameters: Object.entries({ status: { enum: STATUSES }, cursor: { type: "string" }, limit: { type: "integer", minimum: 1, maximum: 1000 } }).map(([name, schema]) => ({ name, in: "query", schema })),
            responses: { 200: { description: "A page of runs", content: json(component("Runs")) }, default: failure },
          },
        }),
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
          requestBody: { required: true, content: json({ type: "object", minProperties: 1, description: "Answers, each as the `schema` under its key in `pending` says" }) },
          responses: posted,
        },
      },
    },
    components: { schemas: { ...RESPONSE_SCHEMAS, ...given.components }, ...(isOfBearer && { securitySchemes: BEARER.securitySchemes }) },
  };
}
