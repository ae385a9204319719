// An authorization server of a library, and an MCP server that lets in whom that one has given a token for it.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { Provider } from "oidc-provider";

export const SECRET = "the-secret-of-the-program-0123456789";

const listening = async (server) => {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${server.address().port}`;
};

/** An authorization server, and an MCP server that lets in whom that one has given a token for it. */
export async function servers(pageOrigin) {
  const seen = { tokens: [], authorizations: [] };
  const handlers = {};
  const login = createServer((request, response) => handlers.login(request, response));
  const resource = createServer((request, response) => handlers.resource(request, response));
  const [issuer, origin] = [await listening(login), await listening(resource)];
  const url = `${origin}/mcp`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: "program", client_secret: SECRET, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] },
      { client_id: "page", token_endpoint_auth_method: "none", grant_types: ["authorization_code", "refresh_token"], redirect_uris: [`${pageOrigin}/mcp-callback.html`] },
    ],
    clientBasedCORS: () => true,
    scopes: ["openid", "offline_access", "mcp"],
    pkce: { required: () => true },
    ttl: { AccessToken: 3600, ClientCredentials: 3600, Interaction: 600, Session: 600, Grant: 600, RefreshToken: 600 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      // A page that has no id registers itself.
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, indicator) => ({ scope: "mcp", audience: indicator, accessTokenFormat: "opaque" }),
      },
    },
  });
  const serveLogin = provider.callback();
  handlers.login = (request, response) => {
    const { pathname, searchParams } = new URL(request.url, issuer);
    if (pathname === "/reg") {
      // The library lets no page register itself, as many servers do.
      for (const [name, value] of [["origin", pageOrigin], ["headers", "content-type"]]) response.setHeader(`access-control-allow-${name}`, value);
      if (request.method === "OPTIONS") return response.writeHead(204).end();
    }
    if (pathname === "/auth") seen.authorizations.push(searchParams);
    return serveLogin(request, response);
  };
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "own", version: "1" }, { capabilities: { tools: {} } });
    server.registerTool("who", { inputSchema: fromJsonSchema({ type: "object" }) }, (_, context) => ({ content: [{ type: "text", text: context.http.authInfo.clientId }] }));
    return server;
  });
  handlers.resource = async (request, response) => {
    const cors = { "access-control-allow-origin": pageOrigin, "access-control-allow-headers": "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name", "access-control-expose-headers": "www-authenticate" };
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    if (request.url.startsWith("/.well-known/oauth-protected-resource")) {
      return response.writeHead(200, { ...cors, "content-type": "application/json" }).end(JSON.stringify({ resource: url, authorization_servers: [handlers.issuer ?? issuer], scopes_supported: ["mcp"] }));
    }
    if (request.url.startsWith("/.well-known")) return response.writeHead(404, cors).end();
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const token = given && ((await provider.AccessToken.find(given)) ?? (await provider.ClientCredentials.find(given)));
    if (!token || [token.aud].flat().includes(url) === false) return response.writeHead(401, { ...cors, "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` }).end();
    seen.tokens.push(given);
    const body = Buffer.concat(await Readable.from(request).toArray());
    const answer = await handler.fetch(new Request(url, { method: request.method, headers: request.headers, ...(body.length > 0 && { body }) }), { authInfo: { token: given, clientId: token.clientId, scopes: [] } });
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...cors });
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    return response.end();
  };
  const close = () => Promise.all([login, resource].map((server) => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve)))));
  return { url, issuer, seen, provider, handlers, close };
}
