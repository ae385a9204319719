// Talking to a workflow that has a conversation.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { findings } from "./axe.js";
import { card, everythingStored, importText, openBuilder, openDocument, openLibrary, picture, talking } from "./builder.js";

/** What an endpoint of Anthropic's kind is sent, as far as the tests look at it. */
interface MessagesRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

type Answer = (response: ServerResponse, body: MessagesRequest, number: number) => void;

let server: Server | undefined;

/** Starts an endpoint on this machine; gives its base URL and what it has been sent. */
async function endpoint(answer: Answer): Promise<{ url: string; received: MessagesRequest[] }> {
  const received: MessagesRequest[] = [];
  const open = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as MessagesRequest;
      received.push(body);
      answer(response, body, received.length);
    });
  });
  server = open;
  await new Promise<void>((resolve) => open.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(open.address() as AddressInfo).port}/v1`, received };
}

test.afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

function refuses(response: ServerResponse): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "the house model is out" } }));
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  send(response, { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "own", content: [], usage: { input_tokens: 3, output_tokens: 1 } } });
}

function send(response: ServerResponse, event: { type: string }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function block(response: ServerResponse, index: number, start: object, ...deltas: object[]): void {
  send(response, { type: "content_block_start", index, content_block: start } as { type: string });
  for (const delta of deltas) send(response, { type: "content_block_delta", index, delta } as { type: string });
  send(response, { type: "content_block_stop", index } as { type: string });
}

function end(response: ServerResponse, reason: string): void {
  send(response, { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 5 } } as { type: string });
  send(response, { type: "message_stop" });
  response.end();
}

function says(response: ServerResponse, text: string): void {
  begin(response);
  block(response, 0, { type: "text", text: "" }, { type: "text_delta", text });
  end(response, "end_turn");
}

function claude(url: string): object {
  return { provider: "anthropic", model: "own", baseUrl: url, apiKey: { secret: "MY_KEY" } };
}

const demo = { provider: "demo", model: "demo" };

const pay = {
  description: "Pays somebody",
  input: { type: "object", required: ["to"], properties: { to: { type: "string" } } },
  run: { code: "return { paid: state.to };" },
  needsApproval: true,
};

function chat(page: Page): Locator {
  return page.locator(".chat");
}

function box(page: Page): Locator {
  return chat(page).getByRole("textbox", { name: "Message" });
}

function log(page: Page): Locator {
  return page.getByRole("log", { name: "Conversation" });
}

function turns(page: Page): Locator {
  return log(page).locator(".chat-turn");
}

async function openChat(page: Page): Promise<void> {
  await page.locator(".topbar").getByRole("button", { name: "Chat" }).click();
  await expect(box(page)).toBeFocused();
}

async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press("Enter");
}

/** Waits until so many messages have been answered. */
async function answered(page: Page, many: number): Promise<void> {
  await expect(turns(page)).toHaveCount(many);
  await expect(log(page)).toHaveAttribute("aria-busy", "false");
}

async function giveKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  await page.getByLabel("API key").fill("sk-mine-and-secret");
  await page.getByRole("button", { name: "Save" }).click();
}

test("a message goes on with what was said, thought and called before it, also after a reload", async ({ page }) => {
  let goOn = (): void => {};
  const { url, received } = await endpoint((response, _, number) => {
    if (number === 1) {
      begin(response);
      block(response, 0, { type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking: "Hm." }, { type: "signature_delta", signature: "sealed-1" });
      block(response, 1, { type: "tool_use", id: "call-1", name: "look", input: {} }, { type: "input_json_delta", partial_json: '{"word":"bees"}' });
      return end(response, "tool_use");
    }
    if (number > 2) return says(response, `Answer ${number}.`);
    begin(response);
    send(response, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string });
    send(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Bees " } } as { type: string });
    goOn = () => {
      send(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "dance." } } as { type: string });
      end(response, "end_turn");
    };
  });
  const look = { description: "Looks a word up", input: { type: "object", required: ["word"], properties: { word: { type: "string" } } }, run: { code: "return `found ${state.word}`;" } };
  await openDocument(page, talking(claude(url), { tools: { look } }));
  await giveKey(page);
  await openChat(page);
  await say(page, "What do bees do?");
  // It streams in, and what the agent did stands above it, closed.
  await expect(turns(page).locator(".markdown")).toHaveText("Bees ");
  await expect(log(page)).toHaveAttribute("aria-busy", "true");
  await expect(box(page)).toBeFocused();
  await expect(box(page)).toHaveValue("");
  const call = turns(page).locator("details.told").filter({ hasText: "look" });
  await expect(call.locator("pre").first()).toBeHidden();
  await call.locator("summary").click();
  await expect(call).toContainText("found bees");
  goOn();
  await answered(page, 1);
  await expect(turns(page).locator(".markdown")).toHaveText("Bees dance.");
  await picture(page, "chat-answered");

  await say(page, "Why?");
  await answered(page, 2);
  await expect(turns(page).nth(1).locator(".markdown")).toHaveText("Answer 3.");
  const sent = JSON.stringify(received[2]?.messages);
  expect(received[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  for (const text of ["What do bees do?", "sealed-1", "call-1", "found bees", "Bees dance.", "Why?"]) expect(sent).toContain(text);

  await page.reload();
  await expect(card(page, "answer")).toBeVisible();
  await giveKey(page);
  await openChat(page);
  await answered(page, 2);
  await expect(turns(page).first()).toContainText("What do bees do?");
  await expect(turns(page).first().locator("details.told")).toContainText("look");
  await say(page, "And then?");
  await answered(page, 3);
  expect(received[3]?.messages).toHaveLength(7);
  expect(JSON.stringify(received[3]?.messages)).toContain("sealed-1");
  expect(await everythingStored(page)).not.toContain("sk-mine-and-secret");
});

test("the template is talked to offline, a new conversation forgets, and that can be taken back", async ({ page }) => {
  await openBuilder(page);
  await page.getByRole("button", { name: "File" }).click();
  await page.getByText("All templates…").click();
  await page.getByRole("dialog", { name: "Templates" }).getByText("Assistant that remembers").click();
  await openChat(page);
  await picture(page, "chat-empty");
  await box(page).fill("When do bees swarm?");
  await box(page).press("Shift+Enter");
  await page.keyboard.type("And why?");
  await expect(box(page)).toHaveValue("When do bees swarm?\nAnd why?");
  await box(page).press("Enter");
  await answered(page, 1);
  await expect(turns(page).locator(".chat-asked")).toContainText("And why?");
  await expect(turns(page)).toContainText("[simulated]");
  await expect(turns(page).locator("details.told")).toContainText("calendar");
  await box(page).fill("And in June?");
  await box(page).press("Control+Enter");
  await answered(page, 2);
  await picture(page, "chat-two");
  // What the second run was given is what the first one left.
  await page.getByRole("tab", { name: "Run" }).click();
  const state = JSON.parse((await page.locator(".final-state pre").textContent()) ?? "") as { messages: { role: string; content: unknown }[] };
  expect(state.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(["When do bees swarm?\nAnd why?", "And in June?"]);
  await page.getByRole("tab", { name: "Chat" }).click();

  await chat(page).getByRole("button", { name: "New conversation" }).click();
  await expect(turns(page)).toHaveCount(0);
  await expect(box(page)).toBeFocused();
  await chat(page).getByRole("button", { name: "Bring the last one back" }).click();
  await expect(turns(page)).toHaveCount(2);
  await chat(page).getByRole("button", { name: "New conversation" }).click();
  await say(page, "Hello?");
  await answered(page, 1);
  await page.getByRole("tab", { name: "Run" }).click();
  await expect(page.locator(".final-state pre")).not.toContainText("And in June?");
  await page.reload();
  await openChat(page);
  await expect(turns(page)).toHaveCount(1);
  // Neither a run by itself nor another workflow is part of it.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  // The run before the reload is shown as done until this one has begun.
  await expect(page.getByRole("tab", { name: "Run" })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await page.getByRole("tab", { name: "Chat" }).click();
  await expect(turns(page)).toHaveCount(1);
  const library = await openLibrary(page);
  await library.getByRole("button", { name: /^Research report/ }).click();
  await expect(page.getByRole("tab", { name: "Run" })).toBeVisible();
  await expect(page.locator(".topbar").getByRole("button", { name: "Chat" })).toHaveCount(0);
});

test("what is not answered is not lost and no part of the conversation", async ({ page }) => {
  const { url, received } = await endpoint((response, _, number) => (number === 2 ? refuses(response) : says(response, `Answer ${number}.`)));
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "One?");
  await answered(page, 1);
  await say(page, "Two?");
  const failure = turns(page).locator(".failure");
  await expect(failure).toContainText("the house model is out");
  await expect(failure.getByRole("button", { name: "Show answer" })).toBeVisible();
  await expect(box(page)).toHaveValue("Two?");
  await expect(box(page)).toBeFocused();
  await picture(page, "chat-failed");
  expect(await findings(page)).toEqual([]);
  // A reload loses neither the reason nor the text.
  await page.reload();
  await giveKey(page);
  await openChat(page);
  await expect(turns(page).locator(".failure")).toContainText("the house model is out");
  await expect(box(page)).toHaveValue("Two?");
  await box(page).press("Enter");
  await answered(page, 2);
  await expect(turns(page).locator(".failure")).toHaveCount(0);
  await expect.poll(() => received[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("a message that is not answered while another one is written is offered, and nothing of either is lost", async ({ page }) => {
  const { url } = await endpoint(refuses);
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "One?");
  await expect(turns(page)).toContainText("Your message stands below again");
  await box(page).fill("Two?");
  let fail = (): void => {};
  const held = new Promise<void>((go) => (fail = go));
  await page.route(`${url}/**`, async (route) => {
    await held;
    await route.continue();
  });
  await box(page).press("Enter");
  await expect(box(page)).toHaveValue("");
  await box(page).fill("Three?");
  fail();
  await expect(turns(page)).toContainText("This was not answered. The conversation is as it was before it.");
  await expect(turns(page)).not.toContainText("stands below");
  await expect(box(page)).toHaveValue("Three?");
  await turns(page).getByRole("button", { name: "Write it again" }).click();
  await expect(box(page)).toHaveValue("Two?\nThree?");
  await expect(box(page)).toBeFocused();
  await expect(turns(page)).toContainText("Your message stands below again");
});

test("an answer is stopped, and the message stands in the box again", async ({ page }) => {
  const { url } = await endpoint((response, _, number) => {
    if (number > 1) return says(response, "Whole.");
    begin(response);
    send(response, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string });
    send(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half an" } } as { type: string });
  });
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "Tell me all.");
  await expect(turns(page)).toContainText("Half an");
  // What is written meanwhile is sent by nobody, and not written over.
  await say(page, "And more");
  await expect(box(page)).toHaveValue("And more");
  await box(page).fill("");
  await chat(page).getByRole("button", { name: "Stop" }).click();
  await expect(turns(page)).toContainText("Stopped.");
  await expect(turns(page)).toContainText("Half an");
  await expect(box(page)).toHaveValue("Tell me all.");
  await expect(box(page)).toBeFocused();
  await box(page).press("Enter");
  await expect(turns(page).locator(".markdown")).toHaveText("Whole.");
  await expect(turns(page)).toHaveCount(1);
});

test("an answer that arrives while another workflow is open is in the conversation that it belongs to", async ({ page }) => {
  let goOn = (): void => {};
  const { url, received } = await endpoint((response, _, number) => {
    if (number > 1) return says(response, "Again.");
    goOn = () => says(response, "Here it is.");
  });
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "Where is it?");
  await expect.poll(() => received.length).toBe(1);
  const other = { ...talking(demo), name: "Other" };
  await importText(page, JSON.stringify(other));
  await expect(page.locator(".title-input")).toHaveValue("Other");
  await expect(turns(page)).toHaveCount(0);
  await expect(chat(page)).toContainText("Another workflow is running.");
  goOn();
  await expect(page.locator(".banner")).toHaveCount(0);
  await expect(turns(page)).toHaveCount(0);
  await expect(box(page)).toHaveValue("");
  // It is stored where it belongs, so a reload finds it too.
  await expect.poll(() => everythingStored(page)).toContain("Here it is.");
  const library = await openLibrary(page);
  await library.getByRole("button", { name: /^Talk/ }).click();
  await expect(page.locator(".title-input")).toHaveValue("Talk");
  await answered(page, 1);
  await expect(turns(page).locator(".markdown")).toHaveText("Here it is.");
  await say(page, "And again?");
  await answered(page, 2);
  await page.reload();
  await openChat(page);
  await expect(turns(page).locator(".markdown")).toHaveText(["Here it is.", "Again."]);
  expect(JSON.stringify(received[1])).toContain("Here it is.");
});

const WRITTEN = `# What bees do

They *dance*, and **sting**
only once.

1. Look
   - up
   - down
2. [Read on](https://example.com/bees?a=1)

| what | many |
| :-- | --: |
| legs | 6 |

\`\`\`js
if (a < b) alert("<b>");
\`\`\`

<img src=x onerror="document.title='stolen'"> [press](javascript:document.title='stolen') [here](#top) ![a bee](https://example.com/bee.png?said=secret)
`;

test("an answer has its lists, tables and code, and nothing of it runs or is loaded", async ({ page }) => {
  const { url } = await endpoint((response) => says(response, WRITTEN));
  const left: string[] = [];
  page.on("request", (request) => left.push(request.url()));
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "What do bees do?");
  await answered(page, 1);
  const answer = turns(page).locator(".markdown");
  await expect(answer.locator(".heading")).toHaveText("What bees do");
  await expect(answer.locator("strong")).toHaveText("sting");
  await expect(answer.locator("p").nth(1)).toHaveText("They dance, and sting only once.");
  await expect(answer.locator("ol > li")).toHaveCount(2);
  await expect(answer.locator("ol ul > li")).toHaveText(["up", "down"]);
  await expect(answer.getByRole("table")).toBeVisible();
  await expect(answer.getByRole("cell", { name: "6" })).toHaveCSS("text-align", "right");
  await expect(answer.locator("pre")).toHaveText('if (a < b) alert("<b>");');
  const link = answer.getByRole("link", { name: "Read on" });
  await expect(link).toHaveAttribute("href", "https://example.com/bees?a=1");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expect(answer.getByRole("link", { name: "a bee" })).toHaveAttribute("title", "https://example.com/bee.png?said=secret");
  await expect(answer.getByRole("link")).toHaveCount(2);
  await expect(answer.locator("img, script, [onerror]")).toHaveCount(0);
  await expect(answer).toContainText("<img src=x onerror=");
  expect(left.filter((address) => address.includes("example.com"))).toEqual([]);
  await picture(page, "chat-markdown");
  expect(await findings(page)).toEqual([]);
  await page.reload();
  await openChat(page);
  await expect(answer.locator("ol ul > li")).toHaveText(["up", "down"]);
});

test("what is shown of an answer stays while more of it arrives", async ({ page }) => {
  const open: ServerResponse[] = [];
  const piece = (text: string): void => open.forEach((response) => send(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as { type: string }));
  const { url } = await endpoint((response) => {
    begin(response);
    send(response, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string });
    open.push(response);
    piece("First, see [bees].\n\n- one\n");
  });
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "What do bees do?");
  const answer = turns(page).locator(".markdown");
  await expect(answer.locator("li")).toHaveText(["one"]);
  const first = await answer.locator("p").first().elementHandle();
  piece("- **two");
  await expect(answer.locator("li")).toHaveText(["one", "**two"]);
  piece("**\n\nLast.");
  await expect(answer.locator("li")).toHaveText(["one", "two"]);
  expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
  // What a link refers to comes at the end.
  piece("\n\n[bees]: https://example.com/bees\n");
  await expect(answer.getByRole("link", { name: "bees" })).toBeVisible();
  piece(`\n\n${"long ".repeat(41_000)}`);
  await expect(answer).toHaveClass(/plain/);
  await expect(answer).toContainText("- **two**");
  open.forEach((response) => end(response, "end_turn"));
  await answered(page, 1);
  await expect(answer).toContainText("long long");
});

test("a tool call is allowed in the chat, also after a reload", async ({ page }) => {
  await openDocument(page, talking(demo, { tools: { pay } }));
  await openChat(page);
  await say(page, "the beekeeper");
  const asks = turns(page).getByRole("form", { name: "May pay be called?" });
  await expect(asks).toBeVisible();
  await expect(chat(page)).toContainText("answer what is asked above first");
  await picture(page, "chat-asks");
  await say(page, "Hurry");
  await expect(turns(page)).toHaveCount(1);
  await box(page).fill("");
  await asks.getByRole("button", { name: "Allow" }).click();
  await answered(page, 1);
  await expect(turns(page)).toContainText('the tool pay gave paid: the beekeeper');
  await expect(box(page)).toBeFocused();

  await chat(page).getByRole("button", { name: "New conversation" }).click();
  await say(page, "the queen");
  await expect(asks).toBeVisible();
  await page.reload();
  await openChat(page);
  await expect(turns(page)).toContainText("The workflow waits for your answer.");
  await turns(page).getByRole("button", { name: "Go on" }).click();
  await asks.getByLabel("If not, why").fill("she is rich");
  await asks.getByRole("button", { name: "Refuse" }).click();
  await answered(page, 1);
  await expect(turns(page)).toContainText("the tool pay failed");
  // Discarding the run that waits gives the text back.
  await chat(page).getByRole("button", { name: "New conversation" }).click();
  await say(page, "the drone");
  await expect(asks).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Discard" }).click();
  await openChat(page);
  await expect(box(page)).toHaveValue("the drone");
});

/** An endpoint that begins to answer its first call and never ends, and answers every other one. */
async function cutting(): Promise<string> {
  const { url } = await endpoint((response, _, number) => {
    if (number > 1) return says(response, `Answer ${number}.`);
    begin(response);
    send(response, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string });
    send(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half an" } } as { type: string });
  });
  return url;
}

test("an answer that a reload has cut off goes on, or its message is sent again", async ({ page }) => {
  const first = { id: "s0", type: "function", name: "first", run: { set: { a: "1" } } };
  const flow = talking(claude(await cutting())) as { steps: object[] };
  await openDocument(page, { ...flow, steps: [first, ...flow.steps] });
  await giveKey(page);
  await openChat(page);
  await say(page, "Bees?");
  await expect(turns(page)).toContainText("Half an");
  await page.reload();
  await openChat(page);
  await expect(turns(page)).toContainText("The answer was cut off: the page was closed or reloaded before it came.");
  await expect(chat(page).locator("#chat-hint")).toHaveText("The last message has no answer yet: go on above, or send it again.");
  await expect(turns(page).getByRole("button", { name: "Go on" })).toBeVisible();
  await picture(page, "chat-cut-off");
  const again = turns(page).getByRole("button", { name: "Send it again" });
  await box(page).fill("Another one");
  await expect(again).toBeDisabled();
  await box(page).fill("");
  await giveKey(page);
  await again.click();
  await answered(page, 1);
  await expect(turns(page)).toHaveText(/Bees\?\s*Answer 2\./);
  await expect(page.locator(".banner")).toHaveCount(0);
});

test("a second tab shows a conversation as it grows, and harms none that goes on in the first", async ({ page, context }) => {
  const open: ServerResponse[] = [];
  const { url } = await endpoint((response) => {
    begin(response);
    send(response, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string });
    open.push(response);
  });
  const finish = (text: string): void => {
    const response = open.pop() as ServerResponse;
    send(response, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as { type: string });
    end(response, "end_turn");
  };
  await openDocument(page, talking(claude(url)));
  await giveKey(page);
  await openChat(page);
  await say(page, "Bees?");
  await expect.poll(() => open.length).toBe(1);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByRole("button", { name: "Edit here" })).toBeVisible();
  await other.locator(".topbar").getByRole("button", { name: "Chat" }).click();
  await expect(turns(other)).toContainText("Bees?");
  await expect(turns(other)).toContainText("Another tab has this workflow open, and shows the answer as it comes.");
  await picture(other, "chat-second-tab");
  await expect(box(other)).toHaveAttribute("readonly", "");
  finish("They dance.");
  await expect(turns(page)).toContainText("They dance.");
  await expect(turns(other)).toHaveText(/Bees\?\s*They dance\./);
  await say(page, "And wasps?");
  await expect(turns(other)).toHaveCount(2);
  await expect(turns(other).nth(1)).toContainText("And wasps?");
  // The first tab ends its turn also when the second one edits by then.
  await expect.poll(() => open.length).toBe(1);
  await other.getByRole("button", { name: "Edit here" }).click();
  await expect(other.getByRole("button", { name: "Edit here" })).toHaveCount(0);
  await expect(turns(other).nth(1)).toContainText("Another tab has this workflow open");
  finish("They sting.");
  await expect(turns(page).nth(1)).toContainText("They sting.");
  await expect(turns(other).nth(1)).toHaveText(/And wasps\?\s*They sting\./);
  await other.reload();
  await openChat(other);
  await expect(turns(other)).toHaveText([/They dance\./, /They sting\./]);
});

test("each key is a conversation of its own, and other values are asked for once", async ({ page }) => {
  const input = { type: "object", required: ["input", "tone"], properties: { input: { type: "string" }, tone: { type: "string" } } };
  const steps = ["plan", "log"].map((key, index) => ({ id: `s${index + 1}`, type: "agent", name: `for_${key}`, agent: "guide", inputFrom: "{{ tone }}: {{ input }}", history: { key } }));
  await openDocument(page, { ...talking(demo, { input }), steps });
  await openChat(page);
  await say(page, "Bees?");
  const asks = page.getByRole("dialog", { name: "Run with" });
  await expect(asks.getByRole("textbox")).toHaveCount(1);
  await asks.getByLabel("tone").fill("kindly");
  await asks.getByRole("button", { name: "Run" }).click();
  await answered(page, 1);
  await expect(turns(page)).toContainText("kindly: Bees?");
  await chat(page).getByLabel("Which conversation").selectOption("log");
  await expect(turns(page)).toHaveCount(0);
  await say(page, "Wax?");
  await answered(page, 1);
  await expect(turns(page)).toContainText("kindly: Wax?");
  await chat(page).getByLabel("Which conversation").selectOption("plan");
  await expect(turns(page)).toContainText("kindly: Bees?");
  // What is written can be the other value that the prompt reads.
  await chat(page).getByLabel("What you write is").selectOption("tone");
  await page.reload();
  await openChat(page);
  await expect(chat(page).getByLabel("What you write is")).toHaveValue("tone");
});

test("where no prompt reads what is written, the chat says so and mends it", async ({ page }) => {
  await openDocument(page, talking(demo, {}, { inputFrom: "Go on." }));
  await openChat(page);
  await box(page).fill("Hello?");
  await box(page).press("Enter");
  await expect(chat(page)).toContainText("No prompt of this conversation reads what you write.");
  await chat(page).getByRole("button", { name: "Make {{ input }} the prompt" }).click();
  await expect(box(page)).toHaveValue("Hello?");
  await box(page).press("Enter");
  await answered(page, 1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat(page)).toContainText("No prompt of this conversation reads what you write.");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the chat is accessible and fits, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openDocument(page, talking(demo, { tools: { pay: { ...pay, needsApproval: false } } }));
    await openChat(page);
    await say(page, "When do bees swarm, and what is to be done about it in a small garden with few hives?");
    await answered(page, 1);
    await say(page, "And in June?");
    await answered(page, 2);
    expect(await findings(page)).toEqual([]);
    await picture(page, `chat-${colorScheme}`);
    await page.getByRole("button", { name: "Beside the canvas" }).click();
    await picture(page, `chat-beside-${colorScheme}`);
    await page.setViewportSize({ width: 390, height: 760 });
    await expect(box(page)).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
    expect(await findings(page)).toEqual([]);
    await picture(page, `chat-narrow-${colorScheme}`);
  });
}

test("what is half written is there after a reload", async ({ page }) => {
  await openDocument(page, talking(demo));
  const open = page.locator(".topbar").getByRole("button", { name: "Chat" });
  await open.click();
  await expect(chat(page)).not.toContainText("is being read");
  await box(page).fill("What do bees");
  await page.reload();
  await open.click();
  await expect(box(page)).toHaveValue("What do bees");
});
