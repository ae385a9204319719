export type { Credentials as OpenApiCredentials } from "../openapi/security.js";
export { openApiOperations, openApiTools, type OpenApiDescription, type OpenApiLeftOut, type OpenApiOperation, type OpenApiOptions, type OpenApiSecret, type OpenApiTools } from "../openapi/tools.js";
export type { Tool } from "../authoring/tool.js";
