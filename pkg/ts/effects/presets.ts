import type { Provider } from "../api/document.js";

/** What the package knows of a provider: its address, and the secret that it needs. The engine knows its wire format. */
export interface Preset {
  /** Its default origin; absent where each user has their own address. */
  readonly origin?: string;
  /** The name of the secret that is its key; absent where no key is needed. */
  readonly secret?: string;
}

const row = (origin?: string, secret?: string): Preset => ({ ...(origin !== undefined && { origin }), ...(secret !== undefined && { secret }) });

/** What is known of each provider that has an endpoint. */
export const PRESETS = {
  openai: row("https://api.openai.com", "OPENAI_API_KEY"),
  openaiResponses: row("https://api.openai.com", "OPENAI_API_KEY"),
  anthropic: row("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
  gemini: row("https://generativelanguage.googleapis.com", "GEMINI_API_KEY"),
  openrouter: row("https://openrouter.ai", "OPENROUTER_API_KEY"),
  groq: row("https://api.groq.com", "GROQ_API_KEY"),
  mistral: row("https://api.mistral.ai", "MISTRAL_API_KEY"),
  deepseek: row("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
  xai: row("https://api.x.ai", "XAI_API_KEY"),
  together: row("https://api.together.xyz", "TOGETHER_API_KEY"),
  ollama: row("http://localhost:11434"),
  lmstudio: row("http://localhost:1234"),
  vllm: row("http://localhost:8000"),
  llamacpp: row("http://localhost:8080"),
  azure: row(undefined, "AZURE_OPENAI_API_KEY"),
  workersAi: row("https://api.cloudflare.com", "CLOUDFLARE_API_TOKEN"),
} as const satisfies Record<Exclude<Provider, "demo" | "custom">, Preset>;

/** A provider that has an endpoint. */
export type EndpointProvider = keyof typeof PRESETS;

/** What is known of a provider; nothing of one that has no endpoint. */
export function presetOf(provider: string): Preset {
  return Object.hasOwn(PRESETS, provider) ? PRESETS[provider as EndpointProvider] : {};
}

/** Names of secrets that some people give the same keys, and those of endpoints without a preset. */
const MORE_SECRETS: readonly (readonly [secret: string, origin: string])[] = [
  ["GOOGLE_API_KEY", "https://generativelanguage.googleapis.com"],
  ["CEREBRAS_API_KEY", "https://api.cerebras.ai"],
  ["HF_TOKEN", "https://router.huggingface.co"],
];

/** Where a secret of this name may go, so that it need not be said; nowhere for names that anybody may use. */
export function originsOfSecret(name: string): readonly string[] {
  const known = [...MORE_SECRETS, ...Object.values<Preset>(PRESETS).map(({ secret, origin }) => [secret, origin] as const)];
  const origin = known.find(([secret]) => secret === name)?.[1];
  return origin === undefined ? [] : [origin];
}
