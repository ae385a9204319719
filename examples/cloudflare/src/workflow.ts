import { Workflow, type ModelDocument, type Secrets } from "stepweave";
// Export your own from the builder and save it in its place.
import document from "../workflow.json";
import { NotConfigured, type Settings } from "./settings.ts";

/** The workflow of the document. Callers give what its `input` schema names, and nothing else. */
export function workflowFor(settings: Settings): Workflow {
  return Workflow.fromDocument({ ...document, models: modelsFor(settings) });
}

/** The document names its key and never holds one. Bound to the endpoint, the value cannot reach another origin. */
export function secretsFor({ LLM_BASE_URL, LLM_API_KEY }: Settings): Secrets {
  return LLM_BASE_URL && LLM_API_KEY ? { LLM_API_KEY: { value: LLM_API_KEY, origins: [LLM_BASE_URL] } } : {};
}

/** The endpoint of the environment is the only place that anything is sent to. */
export function reachOf({ LLM_BASE_URL }: Settings): { allowOrigins?: readonly string[] } {
  // What is no address is refused where the models are made.
  return LLM_BASE_URL && URL.canParse(LLM_BASE_URL) ? { allowOrigins: [new URL(LLM_BASE_URL).origin] } : {};
}

/** The document's models, each at the endpoint of the settings, so that one document works in every deployment. */
function modelsFor({ LLM_BASE_URL: baseUrl, LLM_MODEL: model, LLM_API_KEY: key }: Settings): Record<string, object> {
  const own: Record<string, object> = document.models;
  if (!baseUrl) return own;
  if (!model || !/^https?:\/\//.test(baseUrl)) {
    throw new NotConfigured("LLM_BASE_URL and LLM_MODEL do not name a model at an endpoint", 'set both in wrangler.jsonc: "https://api.openai.com/v1" and "gpt-5-mini", for example');
  }
  const apiKey = key ? { apiKey: { secret: "LLM_API_KEY" } } : {};
  const endpoint: ModelDocument = { provider: "openai", model, baseUrl, ...apiKey };
  return Object.fromEntries(Object.entries(own).map(([id, kept]) => [id, { ...kept, ...endpoint }]));
}
