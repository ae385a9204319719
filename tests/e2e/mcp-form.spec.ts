// Tools of an MCP server, as a person adds them to an agent.
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { mcpToolDocuments } from "stepweave/mcp";
import { serving } from "../vendors/serving.mjs";
import { findings } from "./axe.js";
import { everythingStored, exported, openDocument, picture } from "./builder.js";
import { sitePort } from "./sites.js";

// They have one port: the relay sends only to sites that it was started with.
test.describe.configure({ mode: "serial" });

const asking = {
  version: 1,
  name: "Ask",
  models: { main: { provider: "demo", model: "demo" } },
  agents: { clerk: { model: "main" } },
  steps: [{ id: "s1", type: "agent", name: "ask", agent: "clerk", inputFrom: "Look it up." }],
};

/** A server with two tools, that wants a key if one is named, and the authorization of each request. */
async function withShop(key: string | undefined, use: (url: string, received: string[]) => Promise<void>): Promise<void> {
  const received: string[] = [];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "shop", version: "1" }, { capabilities: { tools: {} } });
      const inputSchema = fromJsonSchema({ type: "object", properties: { word: { type: "string" } }, required: ["word"] });
      for (const [name, description] of [["look", "Looks for a word."], ["buy", "Buys <b>it</b>."]] as const) {
        server.registerTool(name, { description, inputSchema }, () => ({ content: [{ type: "text", text: "done" }] }));
      }
      return server;
    },
    { legacy: "reject" },
  );
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-expose-headers": "*" };
  const answer = async (request: Request): Promise<Response> => {
    // A server that takes keys lets pages call it: no key goes through the relay.
    if (key !== undefined && request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    received.push(request.headers.get("authorization") ?? "no key");
    const answered = key !== undefined && request.headers.get("authorization") !== `Bearer ${key}` ? new Response("no", { status: 401 }) : await handler.fetch(request);
    return new Response(answered.body, { status: answered.status, headers: { ...Object.fromEntries(answered.headers), ...(key !== undefined && cors) } });
  };
  await serving(answer, (origin: string) => use(`${origin}/mcp`, received), sitePort(test.info().project.name, "mcp form"));
}

/** Opens the dialog from the form of the agent. */
async function openForm(page: Page): Promise<Locator> {
  await openDocument(page, asking);
  await page.locator(".card").first().click();
  await page.getByRole("group", { name: "Tools that it may call" }).getByRole("button", { name: "From an MCP server…" }).click();
  return page.getByRole("dialog", { name: "Tools of an MCP server" });
}

test("tools of a server are listed on a click, through the relay, and those that are chosen are one undo", async ({ page }) => {
  await withShop(undefined, async (url, received) => {
    const form = await openForm(page);
    const list = form.getByRole("button", { name: "List its tools" });
    await expect(list).toBeDisabled();
    await form.getByLabel("Address of the server").fill("shop");
    await expect(form.getByText("Must be an address such as")).toBeVisible();
    await form.getByLabel("Address of the server").fill(url);
    await expect(form.getByLabel("Requests go through the relay of this server")).toBeChecked();
    expect(received, "typing sends nothing").toEqual([]);
    await list.click();
    await expect(form.getByText(`Tools of ${new URL(url).origin}`)).toBeVisible();
    await expect(form.getByRole("checkbox")).toHaveCount(2);
    await expect(form.getByText("Buys <b>it</b>.")).toBeVisible();
    await picture(page, "mcp-form");
    expect(await findings(page)).toEqual([]);
    const add = form.getByRole("button", { name: "Add 0 tools" });
    await expect(add).toBeDisabled();
    await form.getByRole("checkbox", { name: /look/ }).press("Space");
    await form.getByRole("button", { name: "Add 1 tool" }).click();
    await expect(form).toHaveCount(0);
    await expect(page.getByText("The tool look is added.")).toBeVisible();
    const written = (await exported(page)) as unknown as { tools: object; agents: { clerk: { tools: string[] } } };
    expect(written.tools).toEqual(await mcpToolDocuments(url, { include: ["look"] }));
    expect(written.agents.clerk.tools).toEqual(["look"]);
    await page.keyboard.press("Control+z");
    expect(await exported(page)).not.toHaveProperty("tools");
  });
});

test("a key stays in the page, its name stands in the document, and what fails says what to do", async ({ page }) => {
  const key = "shop-key-of-some-length";
  await withShop(key, async (url, received) => {
    const form = await openForm(page);
    const list = form.getByRole("button", { name: "List its tools" });
    const error = form.getByRole("alert");
    await form.getByLabel("Address of the server").fill(url);
    await form.getByLabel("The key", { exact: true }).fill("wrong-key-of-some-length");
    await expect(form.getByText("The key needs a name.")).toBeVisible();
    await expect(list).toBeDisabled();
    await form.getByLabel("Name of its key").fill("SHOP_TOKEN");
    await list.click();
    await expect(error).toContainText("switch the relay off here, or let keys go through it");
    expect(received).toEqual([]);
    await form.getByText("Requests go through the relay of this server").click();
    await list.click();
    await expect(error).toContainText("look whether the key is right, and still valid");
    await form.getByLabel("The key", { exact: true }).fill("");
    await list.click();
    await expect(error).toContainText("enter the name of its key, and the key");
    await form.getByLabel("The key", { exact: true }).fill(key);
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Choose all of them" }).click();
    await form.getByRole("button", { name: "Add 2 tools" }).click();
    const document = await exported(page);
    expect(JSON.stringify(document)).toContain('"auth":{"bearer":{"secret":"SHOP_TOKEN"}}');
    expect(received).toContain(`Bearer ${key}`);
    expect(JSON.stringify(document) + (await everythingStored(page))).not.toContain(key);
  });
  // Nobody is there any more.
  const form = await openForm(page);
  await form.getByLabel("Address of the server").fill(`http://127.0.0.1:${sitePort(test.info().project.name, "mcp form")}/mcp`);
  await form.getByRole("button", { name: "List its tools" }).click();
  await expect(form.getByRole("alert")).toContainText("could not be reached");
  await expect(form.getByRole("alert")).toContainText("look whether the address is right and the site is up");
});

test("a tool of a server says which it is, may let it ask people, and becomes no other kind", async ({ page }) => {
  const look = { description: "Looks for a word.", input: { type: "object" }, run: { mcp: { url: "https://mcp.example.com/mcp", tool: "look", hash: "0".repeat(64) } } };
  await openDocument(page, { ...asking, tools: { look }, agents: { clerk: { model: "main", tools: ["look"] } } });
  await page.locator(".card").first().click();
  await page.getByRole("button", { name: "Edit tool look" }).click();
  await expect(page.getByText("A call runs the tool look of the MCP server https://mcp.example.com/mcp")).toBeVisible();
  await expect(page.getByLabel("A call runs")).toHaveCount(0);
  await expect(page.getByRole("checkbox", { name: /^Ask a person/ })).toBeChecked();
  await page.getByRole("checkbox", { name: /^The server may ask a person/ }).press("Space");
  const { tools } = (await exported(page)) as unknown as { tools: { look: { run: { mcp: object } } } };
  expect(tools.look.run.mcp).toEqual({ ...look.run.mcp, elicitation: true });
});
