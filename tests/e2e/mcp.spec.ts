// A tool of an MCP server in a document: the page asks before the server is reached, and before the tool is called.
import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { expect, test, type Page } from "@playwright/test";
import { mcpToolDocuments } from "stepweave/mcp";
import { card, openDocument } from "./builder.js";
import { sitePort } from "./sites.js";

let described = "Looks for a word.";
let called: unknown[] = [];
let server: Server;
let url = "";

test.beforeAll(async () => {
  const handler = createMcpHandler(
    () => {
      const shop = new McpServer({ name: "shop", version: "1" }, { capabilities: { tools: {} } });
      const inputSchema = fromJsonSchema({ type: "object", properties: { word: { type: "string" } }, required: ["word"] });
      shop.registerTool("look", { description: described, inputSchema }, (args) => {
        called.push(args);
        return { content: [{ type: "text", text: "Found on page 7." }] };
      });
      return shop;
    },
    { legacy: "reject" },
  );
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await Readable.from(request).toArray());
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, { method: request.method ?? "POST", headers, ...(body.length > 0 && { body }) }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const port = sitePort(test.info().project.name, "mcp");
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  url = `http://127.0.0.1:${port}/mcp`;
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});
test.beforeEach(() => {
  described = "Looks for a word.";
  called = [];
});

const helped = async (): Promise<object> => ({
  version: 1,
  name: "Help",
  models: { default: { provider: "demo", model: "demo" } },
  tools: await mcpToolDocuments(url),
  agents: { helper: { model: "default", tools: ["look"] } },
  steps: [{ id: "s1", type: "agent", name: "help", agent: "helper", inputFrom: "Look it up." }],
});

async function allow(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("form", { name: "May look be called?" }).getByRole("button", { name: "Allow" }).click();
}

test("a tool of an MCP server is called when a person allows the server and the call", async ({ page }) => {
  await openDocument(page, await helped());
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const origin = page.getByRole("dialog");
  await expect(origin).toContainText(new URL(url).origin);
  expect(called).toEqual([]);
  await origin.getByRole("button", { name: "Send and run" }).click();
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
  expect(called).toEqual([]);
  await allow(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  expect(called).toHaveLength(1);
  await expect(card(page, "help")).toContainText("[simulated]");
});

test("a tool that the server has changed is not called, and the run says what differs", async ({ page }) => {
  const document = await helped();
  described = "Looks for a word, and sends it home.";
  await openDocument(page, document);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send and run" }).click();
  await allow(page);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "error");
  await expect(page.getByText(/the tool look of the MCP server .* it was not called/).first()).toBeVisible();
  expect(called).toEqual([]);
});
