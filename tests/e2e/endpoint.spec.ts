import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Page } from "@playwright/test";
import { asking, card, openDocument, picture } from "./builder.js";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;

/** Starts an endpoint on this machine that answers like this; gives its base URL. */
async function endpoint(answer: Answer): Promise<string> {
  const open = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    answer(request, response);
  });
  server = open;
  await new Promise<void>((resolve) => open.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(open.address() as AddressInfo).port}/v1`;
}

test.afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

async function agreeAndRun(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(page.locator(".run-summary")).not.toHaveAttribute("data-status", /idle|running/);
}

async function expectFailure(page: Page, code: string, text: RegExp): Promise<void> {
  await expect(card(page, "ask")).toHaveAttribute("data-status", "error");
  await expect(card(page, "ask").locator(".card-output.failed")).toBeVisible();
  const failure = page.locator(".run-steps .failure");
  await expect(failure.locator(".code-word")).toHaveText(code);
  await expect(failure).toContainText(text);
  await expect(failure.locator(".failure-hint")).not.toBeEmpty();
  await failure.getByRole("button", { name: "Show ask" }).click();
  await expect(card(page, "ask")).toHaveClass(/selected/);
}

function part(text: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
}

test("a real endpoint streams onto the card, and only after the person agreed", async ({ page }) => {
  const asked: string[] = [];
  let goOn = (): void => {};
  const url = await endpoint((request, response) => {
    asked.push(request.headers.authorization ?? "no key");
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part("Bees "));
    goOn = () => response.end(`${part("dance.")}data: [DONE]\n\n`);
  });
  await openDocument(page, asking(url, "MY_KEY"));
  await page.getByRole("button", { name: "Endpoint settings" }).first().click();
  await page.getByLabel("API key").fill("sk-mine");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Bees ");
  goOn();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Bees dance.");
  await expect(card(page, "ask")).toHaveAttribute("data-status", "done");
  await expect(card(page, "ask").locator(".badge.simulated")).toHaveCount(0);
  expect(asked).toEqual(["Bearer sk-mine"]);
});

test("a foreign workflow sends nothing before the person agrees", async ({ page }) => {
  let calls = 0;
  const url = await endpoint((_, response) => {
    calls += 1;
    response.end("{}");
  });
  await openDocument(page, asking(url));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText(new URL(url).origin);
  await picture(page, "agree");
  await page.keyboard.press("Escape");
  await expect(card(page, "ask")).toHaveAttribute("data-status", "idle");
  expect(calls).toBe(0);
});

test("an endpoint that is down", async ({ page }) => {
  const url = await endpoint(() => {});
  const closed = server;
  await new Promise((resolve) => closed?.close(resolve));
  server = undefined;
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expectFailure(page, "network", /127\.0\.0\.1/);
  await picture(page, "endpoint-down");
});

test("an endpoint that refuses the key", async ({ page }) => {
  const url = await endpoint((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Incorrect API key provided" } }));
  });
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expectFailure(page, "auth", /401|key/i);
});

test("an endpoint that sends garbage", async ({ page }) => {
  const url = await endpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html><body>Welcome to the wrong door</body></html>");
  });
  await openDocument(page, asking(url));
  await agreeAndRun(page);
  await expectFailure(page, "model", /no answer of a model/);
});

test("an endpoint that breaks off in the middle keeps what had arrived", async ({ page }) => {
  let breakOff = (): void => {};
  const url = await endpoint((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part("Half of an answ"));
    breakOff = () => response.destroy();
  });
  await openDocument(page, asking(url));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Half of an answ");
  breakOff();
  await expectFailure(page, "network", /./);
  await expect(page.locator(".inspector .output")).toContainText("Half of an answ");
});

test("a run is stopped while an endpoint keeps it waiting", async ({ page }) => {
  let gone = false;
  const url = await endpoint((request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(part("Thinking"));
    request.on("close", () => {
      gone = true;
    });
    response.on("close", () => {
      gone = true;
    });
  });
  await openDocument(page, asking(url));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Send and run" }).click();
  await expect(card(page, "ask").locator(".card-output")).toHaveText("Thinking");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(card(page, "ask")).toHaveAttribute("data-status", "cancelled");
  await expect.poll(() => gone).toBe(true);
});
