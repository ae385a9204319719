// A person signs in to an MCP server from the builder, at an authorization server of a library, in a window of its own.
import { expect, test } from "@playwright/test";
import { servers } from "../vendors/mcp-oauth.mjs";
import { everythingStored, exported, openDocument, picture } from "./builder.js";

const asking = {
  version: 1,
  name: "Ask",
  models: { main: { provider: "demo", model: "demo" } },
  agents: { clerk: { model: "main" } },
  steps: [{ id: "s1", type: "agent", name: "ask", agent: "clerk", inputFrom: "Who am I?" }],
};

test("a person signs in on a click, and the token is kept as a key is", async ({ page, baseURL }) => {
  const place = await servers(new URL(baseURL!).origin);
  try {
    await openDocument(page, asking);
    await page.locator(".card").first().click();
    await page.getByRole("group", { name: "Tools that it may call" }).getByRole("button", { name: "From an MCP server…" }).click();
    const form = page.getByRole("dialog", { name: "Tools of an MCP server" });
    const signIn = form.getByRole("button", { name: "Sign in to it instead…" });
    await expect(signIn).toBeDisabled();
    await form.getByLabel("Address of the server").fill(place.url);
    await page.waitForLoadState("networkidle");

    // Whoever gives up is shown that, and the window goes.
    const [first] = await Promise.all([page.waitForEvent("popup"), signIn.click()]);
    await first.waitForURL(/\/interaction\//);
    await Promise.all([first.waitForEvent("close"), form.getByRole("button", { name: "Cancel" }).click()]);
    await expect(form.getByRole("alert")).toContainText("You have not signed in");

    // One that the server does not know is reported in its window, which is closed by hand.
    await form.getByText("The server has given me a client id").click();
    await form.getByLabel("Client id").fill("nobody");
    const [unknown] = await Promise.all([page.waitForEvent("popup"), signIn.click()]);
    await expect(unknown.getByText("client is invalid")).toBeVisible();
    expect(place.seen.authorizations.at(-1)!.get("client_id")).toBe("nobody");
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.getByLabel("Client id").fill("");

    const [popup] = await Promise.all([page.waitForEvent("popup"), signIn.click()]);
    await popup.waitForURL(/\/interaction\//);
    await expect(form.getByText("Sign in in the window that has opened.")).toBeVisible();
    await popup.fill("[name=login]", "ann");
    await popup.fill("[name=password]", "x");
    await popup.click("button[type=submit]");
    await popup.waitForURL(/\/interaction\//);
    await Promise.all([popup.waitForEvent("close"), popup.click("button[type=submit]")]);
    await expect(form.getByRole("checkbox", { name: /who/ })).toBeVisible();
    await picture(page, "mcp-signed-in");
    await form.getByRole("checkbox", { name: /who/ }).check();
    await form.getByRole("button", { name: "Add 1 tool" }).click();

    const token = place.seen.tokens.at(-1)!;
    const written = JSON.stringify(await exported(page));
    expect(written).toMatch(/MCP_127_0_0_1_\d+_TOKEN/);
    expect(written).not.toContain(token);
    expect(await everythingStored(page)).not.toContain(token);

    // It is over by the time that a run uses it: another one is had without a person, and kept as the first.
    await (await place.provider.AccessToken.find(token))!.destroy();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    // The form of the server has switched the relay off, for no key goes through it: it is not offered again.
    await expect(page.getByRole("dialog").getByRole("button", { name: "Send and run" })).toBeVisible();
    await expect(page.getByRole("dialog").getByText("Requests go through the relay of this server")).toHaveCount(0);
    await page.getByRole("dialog").getByRole("button", { name: "Send and run" }).click();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("form", { name: "May who be called?" }).getByRole("button", { name: "Allow" }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
    const another = place.seen.tokens.at(-1)!;
    expect(another).not.toBe(token);
    expect(await page.locator("body").textContent()).not.toContain(another);
    expect(await everythingStored(page)).not.toContain(another);
  } finally {
    await place.close();
  }
});
