// Tools of an OpenAPI description, as a person picks them.
import { gunzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { dropOn, exported, openDocument, picture, written } from "./builder.js";

const PETSTORE = gunzipSync(readFileSync(new URL("../openapi/petstore.yaml.gz", import.meta.url))).toString();

const asking = {
  version: 1,
  name: "Pets",
  models: { main: { provider: "demo", model: "demo" } },
  agents: { clerk: { model: "main" } },
  steps: [{ id: "s1", type: "agent", name: "ask", agent: "clerk", inputFrom: "Which pets are there?" }],
};

/** Opens the dialog from the form of the agent. */
async function openPicker(page: Page): Promise<Locator> {
  await openDocument(page, asking);
  await page.locator(".card").first().click();
  const button = page.getByRole("group", { name: "Tools that it may call" }).getByRole("button", { name: "From an OpenAPI description…" });
  await button.click();
  return page.getByRole("dialog", { name: "Tools of an OpenAPI description" });
}

test("a page in whose place a newer version has come says so once a file of it is gone", async ({ page }) => {
  await page.route(/\/assets\/openapi-[^/]*\.js$/, (route) => route.fulfill({ status: 404, body: "gone" }));
  const dialog = await openPicker(page);
  await dialog.getByRole("textbox").fill(PETSTORE);
  // The page is the same: nothing is newer.
  await dialog.getByRole("button", { name: "Read it" }).click();
  await expect(dialog.getByRole("alert")).toContainText("could not be loaded");
  await expect(page.locator(".notice")).toHaveCount(0);
  await page.route((url) => url.pathname === "/", (route) => route.fulfill({ contentType: "text/html", body: '<script type="module" src="/assets/index-newer.js"></script>' }));
  await dialog.getByRole("button", { name: "Read it" }).click();
  await expect(page.locator(".notice")).toContainText("A newer version of this page is there, and files of this one are gone. Reload the page: what you have done is kept.");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`operations of a description become tools of the agent (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    const dialog = await openPicker(page);
    await dialog.getByRole("textbox").fill(PETSTORE);
    await dialog.getByRole("button", { name: "Read it" }).click();
    await expect(dialog.getByText("Swagger Petstore - OpenAPI 3.0: 19 operations")).toBeVisible();

    await dialog.getByRole("searchbox").fill("by status");
    await dialog.getByRole("checkbox", { name: /GET \/pet\/findByStatus/ }).press("Space");
    await dialog.getByRole("searchbox").fill("delete");
    await dialog.getByRole("checkbox", { name: /DELETE \/pet\/\{petId\}/ }).check();
    await dialog.getByRole("searchbox").fill("");
    await expect(dialog.getByRole("checkbox", { checked: true })).toHaveCount(2);
    const add = dialog.getByRole("button", { name: "Add 2 tools" });
    await expect(add, "nobody has confirmed an address").toBeDisabled();
    await dialog.getByLabel("Address of the API").fill("https://pets.example/v3");
    await expect(dialog.getByText("SWAGGER_PETSTORE_OPEN_PETSTORE_AUTH")).toBeVisible();
    await expect(dialog.getByText("https://pets.example", { exact: false }).last()).toBeVisible();
    await dialog.getByText("Left out").click();
    await expect(dialog.getByText(/api_key.*is a key by its name/)).toBeVisible();
    await picture(page, `openapi-${colorScheme}`);
    await add.click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText("2 tools are added.")).toBeVisible();

    const tools = page.getByRole("group", { name: "Tools that it may call" });
    await expect(tools.getByText("findPetsByStatus")).toBeVisible();
    await tools.getByRole("button", { name: "Edit tool deletePet" }).click();
    await expect.poll(() => written(page.getByLabel("Address", { exact: true }).last())).toBe("https://pets.example/v3/pet/{{ petId }}");
    const origin = new URL(page.url()).origin;
    expect(requested.filter((url) => !url.startsWith(origin)), "nothing is fetched").toEqual([]);
    await page.keyboard.press("Control+z");
    await expect(page.getByText("deletePet")).toHaveCount(0);
  });
}

test("a description that cannot be read says why, and one that suggests an address does not decide it", async ({ page }) => {
  const dialog = await openPicker(page);
  await dialog.getByRole("textbox").fill('swagger: "2.0"\npaths: {}');
  await dialog.getByRole("button", { name: "Read it" }).click();
  await expect(dialog.getByRole("alert")).toContainText("in Swagger 2.0");
  await dialog.getByRole("textbox").fill(JSON.stringify({ openapi: "3.1.0", info: { title: "Bees" }, servers: [{ url: "https://bees.example/v1" }], paths: { "/bees": { get: { operationId: "listBees" }, trace: {} } } }));
  await dialog.getByRole("button", { name: "Read it" }).click();
  await expect(dialog.getByText("Cannot be a request: it is a TRACE, which requests do not send")).toBeVisible();
  await dialog.getByRole("checkbox", { name: /GET \/bees/ }).check();
  await expect(dialog.getByLabel("Address of the API")).toHaveValue("");
  await dialog.getByRole("button", { name: "Use https://bees.example/v1" }).click();
  await dialog.getByRole("button", { name: "Add 1 tool" }).click();
  await expect(page.getByText("The tool listBees is added.")).toBeVisible();
});

test("a step sends one operation of a description, which is dropped on the dialog", async ({ page }) => {
  await openDocument(page, { version: 1, name: "Pets", initialState: { petId: 7 }, steps: [{ id: "s1", type: "http", name: "look", http: { url: "https://old.example/" } }] });
  await page.locator(".card").first().click();
  await page.locator(".inspector").getByRole("button", { name: "From an OpenAPI description…" }).click();
  const dialog = page.getByRole("dialog", { name: "A request of an OpenAPI description" });
  await dropOn(page, ".modal h2", { files: [{ name: "notes.txt", text: "no description" }] });
  await expect(dialog.getByRole("alert")).toBeVisible();
  await dropOn(page, ".modal h2", { files: [{ name: "petstore.yaml", text: PETSTORE }] });
  await expect(dialog.getByText("Swagger Petstore - OpenAPI 3.0: 19 operations")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Choose all that are found" })).toHaveCount(0);
  await dialog.getByRole("radio", { name: /DELETE \/pet\/\{petId\}/ }).check();
  await dialog.getByRole("radio", { name: /GET \/pet\/\{petId\}/ }).check();
  await expect(dialog.getByRole("radio", { checked: true })).toHaveCount(1);
  await dialog.getByLabel("Address of the API").fill("https://pets.example/v3");
  await expect(dialog.getByText("SWAGGER_PETSTORE_OPEN_API_KEY")).toBeVisible();
  await dialog.getByRole("button", { name: "Use this request" }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => written(page.getByLabel("Address", { exact: true }))).toBe("https://pets.example/v3/pet/{{ petId }}");
  const { steps, tools } = (await exported(page)) as { steps: { http: { url: string; auth: unknown } }[]; tools?: unknown };
  expect(tools).toBeUndefined();
  expect(steps[0]?.http).toMatchObject({ method: "GET", url: "https://pets.example/v3/pet/{{ petId }}" });
  await page.keyboard.press("Escape");
  await page.locator(".card").first().click();
  await page.keyboard.press("Control+z");
  await expect.poll(() => written(page.getByLabel("Address", { exact: true }))).toBe("https://old.example/");
});
