// Workflows from nothing, as somebody builds them who has not seen the page before. Each click, drag, chord and
// filled field is one action; templates are not used.
import { createServer, type Server } from "node:http";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { card, drag, exported, kind, names, openBuilder, picture, place } from "./builder.js";
import { sitePort } from "./sites.js";

/** What building one of them may take. */
const MOST = 20;

/** The hand and the keyboard of a person, which count what they do. */
class Person {
  actions = 0;

  constructor(readonly page: Page) {}

  async click(what: Locator): Promise<void> {
    this.actions += 1;
    await what.click();
  }

  async drag(from: Locator, to: Locator): Promise<void> {
    this.actions += 1;
    await drag(this.page, from, to);
  }

  async fill(label: string, text: string): Promise<void> {
    this.actions += 1;
    await this.page.locator(".inspector").getByLabel(label, { exact: true }).fill(text);
  }

  async choose(label: string, value: string): Promise<void> {
    this.actions += 1;
    await this.page.locator(".inspector").getByLabel(label, { exact: true }).selectOption(value);
  }

  /** Writes where the page has put the caret. */
  async write(text: string): Promise<void> {
    this.actions += 1;
    await expect(this.page.locator(".inspector").getByLabel("Prompt")).toBeFocused();
    await this.page.locator(".inspector").getByLabel("Prompt").fill(text);
  }

  /** Types where the page has selected what is to be replaced. */
  async type(text: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.type(text);
  }

  /** A value with which runs begin. */
  async state(key: string, value: string, kind?: string): Promise<void> {
    const state = this.page.locator(".inspector").getByRole("group", { name: "Initial state", exact: true });
    await this.click(state.getByRole("button", { name: "Add a value" }));
    await expect(state.getByLabel("Key", { exact: true })).toBeFocused();
    await this.type(key);
    if (kind !== undefined) await this.choose("Kind", kind);
    await this.fill("Value", value);
  }

  async begin(): Promise<void> {
    await openBuilder(this.page);
    await this.click(this.page.getByRole("button", { name: "File", exact: true }));
    await this.click(this.page.getByText("An empty workflow"));
    await expect(this.page.locator(".card")).toHaveCount(0);
  }

  /** Nothing is wrong with what was built, and a reload has all of it. */
  async finish(name: string): Promise<void> {
    expect(this.actions, `${name} took ${this.actions} actions`).toBeLessThanOrEqual(MOST);
    console.log(`${name}: ${this.actions} actions`);
    await this.page.getByRole("button", { name: "Show everything" }).click();
    await picture(this.page, `built-${name}`);
    const before = await exported(this.page);
    await expect(this.page.locator(".saved")).toHaveText("Saved");
    await this.page.reload();
    await expect(this.page.locator(".card").first()).toBeVisible();
    expect(await exported(this.page)).toEqual(before);
  }
}

test("a router: classify, three agents, join", async ({ page }) => {
  const person = new Person(page);
  await person.begin();
  await person.state("mail", "My jar has not arrived.");
  await person.click(kind(page, "agent"));
  await person.write("Classify this mail as billing, delivery or other: {{ mail }}");
  await person.click(page.locator(".inspector").getByRole("button", { name: "Answer with one of: billing, delivery, other" }));
  await person.click(kind(page, "switch"));
  await expect(page.locator(".branch")).toHaveText(["billing", "delivery", "other", "default"]);
  for (const [index, about] of ["the bill", "the parcel", "anything else"].entries()) {
    await person.drag(kind(page, "agent"), place(page, `s2/cases[${index}].steps/0`));
    await person.write(`Answer a mail about ${about}: {{ mail }}`);
  }
  await person.drag(kind(page, "agent"), place(page, "/2"));
  await person.write("Make one reply of: {{ billing_output }}{{ delivery_output }}{{ other_output }}");
  await person.click(page.locator(".inspector").getByRole("button", { name: "Write | default('') behind each" }));
  await person.click(page.getByRole("button", { name: "Run", exact: true }));
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(() => names(page)).toEqual(["agent", "switch", "billing", "delivery", "other", "agent_2"]);
  await expect(page.locator('.card[data-kind="agent"][data-status="done"]')).toHaveCount(3);
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await person.finish("router");
});

test("a guardrail, an agent with a tool, an approval, a reply", async ({ page }) => {
  const person = new Person(page);
  await person.begin();
  await person.state("request", "Count the words of: the bees are safe");
  await person.click(kind(page, "agent"));
  await person.write("Is this request safe or unsafe? {{ request }}");
  await person.click(page.locator(".inspector").getByRole("button", { name: "Answer with one of: safe, unsafe" }));
  await person.click(kind(page, "condition"));
  // The condition is empty, so what is picked goes where it holds; it asks for the first choice.
  await expect(card(page, "condition")).toContainText("agent_output == 'safe'");
  await person.click(kind(page, "agent"));
  await person.write("{{ request }}");
  await person.click(page.locator(".inspector").getByRole("button", { name: "Add a tool" }));
  await person.fill("What it does", "Counts the words of a text.");
  await person.click(kind(page, "approval"));
  await person.click(kind(page, "agent"));
  await person.write("Write a reply with: {{ agent_2_output }}");
  await person.click(page.getByRole("button", { name: "Run", exact: true }));
  await expect(card(page, "approval")).toContainText("Waits for your answer");
  const form = page.locator(".inspector").getByRole("form", { name: "Answer" });
  await expect(form.locator(".question-text")).toContainText("[simulated]");
  await person.click(form.getByRole("button", { name: "Approve" }));
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect.poll(() => names(page)).toEqual(["agent", "condition", "agent_2", "approval", "agent_3"]);
  await expect(card(page, "agent_2")).toContainText("1 call");
  await expect(card(page, "agent_3")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".card.flawed")).toHaveCount(0);
  await person.finish("guardrail");
});

test.describe("with a site", () => {
  let site: Server;
  const PAGE = "<!doctype html><title>Bees</title><main><p>Bees dance to show the way.</p></main>";
  const port = (): number => sitePort(test.info().project.name, "list");

  test.beforeAll(async () => {
    site = createServer((_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(PAGE));
    await new Promise<void>((listening) => site.listen(port(), "127.0.0.1", listening));
  });
  test.afterAll(() => {
    site.closeAllConnections();
    site.close();
  });

  test("a list: fetch each address, summarise, join", async ({ page }) => {
    const address = `http://127.0.0.1:${port()}`;
    const person = new Person(page);
    await person.begin();
    await person.state("urls", `${address}/one\n${address}/two`, "List");
    await person.click(kind(page, "foreach"));
    await person.click(kind(page, "http"));
    await expect(card(page, "request")).toContainText("{{ item }}");
    await person.click(kind(page, "agent"));
    await person.write("Summarise in one sentence: {{ request_output }}");
    await person.drag(kind(page, "agent"), place(page, "/1"));
    await person.write("Join these into one text: {{ foreach_output }}");
    await person.click(page.getByRole("button", { name: "Run", exact: true }));
    await person.click(page.getByRole("dialog").getByRole("button", { name: "Send and run" }));
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
    await expect.poll(() => names(page)).toEqual(["foreach", "request", "agent", "agent_2"]);
    await expect(card(page, "agent_2")).toContainText("[simulated]");
    await expect(page.locator(".card.flawed")).toHaveCount(0);
    await person.finish("list");
  });
});
