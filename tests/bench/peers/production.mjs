// Imported before a peer: each reads these when it is loaded. It is to run as it would in production, and to tell nobody.
Object.assign(process.env, {
  NODE_ENV: "production",
  MASTRA_TELEMETRY_DISABLED: "1",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
});
