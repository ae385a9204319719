import { Workflow, type ModelDocument, type Secrets } from "stepweave";
// Export your own from the builder and save it in its place.
import document from "../workflow.json";
import { HttpError } from "./http.ts";

/** What `wrangler.jsonc` and `wrangler secret put` set. */
export interface Env {
  LLM_BASE_URL?: string;
  LLM_MODEL?: string;
  LLM_API_KEY?: string;
  ACCESS_TOKEN?: string;
  ALLOWED_ORIGIN?: string;
}

let workflow: Workflow | undefined;

/** The workflow, made and checked once: an isolate serves many requests, all of them with the same environment. */
export function workflowFor(env: Env): Workflow {
  workflow ??= Workflow.fromDocument({ ...document, models: modelsFor(env) });
  return workflow;
}

/** The document names its key and never holds one. Bound to the endpoint, the value cannot reach another origin. */
export function secretsFor({ LLM_BASE_URL, LLM_API_KEY }: Env): Secrets {
  // A secret that was piped in often ends with a line break, which no header can hold.
  return LLM_BASE_URL && LLM_API_KEY ? { LLM_API_KEY: { value: LLM_API_KEY.trim(), origins: [LLM_BASE_URL] } } : {};
}

/** The document's models, each at the endpoint of the environment, so that one document works in every deployment. */
function modelsFor({ LLM_BASE_URL: baseUrl, LLM_MODEL: model, LLM_API_KEY: key }: Env): Record<string, object> {
  const own: Record<string, object> = document.models;
  if (!baseUrl) return own;
  if (!model || !/^https?:\/\//.test(baseUrl)) {
    throw new HttpError(500, "configuration", "LLM_BASE_URL and LLM_MODEL do not name a model at an endpoint", {
      hint: 'set both in wrangler.jsonc: "https://api.openai.com/v1" and "gpt-5-mini", for example',
    });
  }
  const apiKey = key ? { apiKey: { secret: "LLM_API_KEY" } } : {};
  const endpoint: ModelDocument = { provider: "openai", model, baseUrl, ...apiKey };
  return Object.fromEntries(Object.entries(own).map(([id, kept]) => [id, { ...kept, ...endpoint }]));
}
