// Files that a run is given: chosen or dropped in the form with which Run asks.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Locator, type Page } from "@playwright/test";
import { PNG, pdfOf } from "../../pkg/test/files-support.js";
import { findings } from "./axe.js";
import { card, dropOn, everythingStored, exported, openDocument, picture } from "./builder.js";

const file = { type: "object", format: "file" };
const BEES = { name: "bees.md", mimeType: "text/markdown", buffer: Buffer.from("# Bees\n\nThey dance.") };
const PAPER = { name: "ants.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdfOf("Ants walk.", "In lines.")) };
const PHOTO = { name: "bee.png", mimeType: "image/png", buffer: Buffer.from(PNG) };

/** A workflow whose demo model gets the texts of its files. */
const reading = {
  version: 1,
  name: "Sum up",
  models: { m: { provider: "demo", model: "demo" } },
  agents: { reader: { model: "m" } },
  input: { type: "object", required: ["paper"], properties: { paper: file, more: { type: "array", items: file } } },
  steps: [
    { id: "s1", type: "agent", name: "read", agent: "reader", inputFrom: "{{ paper.text }}", files: "more" },
    { id: "s2", type: "function", name: "join", run: { set: { all: "paper.text ~ ' / ' ~ more[0].text ~ ' / ' ~ more[1].text" } } },
  ],
};

/** The dialog with which Run asks. */
const runForm = (page: Page): Locator => page.getByRole("dialog", { name: "Run with" });

/** A field of it for files. */
const field = (page: Page, name: string): Locator => runForm(page).getByRole("group", { name });

async function press(page: Page): Promise<void> {
  await page.locator(".topbar").getByRole("button", { name: "Run", exact: true }).click();
}

/** Chooses files in a field, as the browser's own dialog does. */
async function choose(page: Page, name: string, ...files: (typeof BEES)[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), field(page, name).getByText(/^Choose/).click()]);
  await chooser.setFiles(files);
}

/** Drops files on a field. */
async function drop(page: Page, name: string, ...files: (typeof BEES)[]): Promise<void> {
  const sent = files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, bytes: [...buffer] }));
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, type, bytes } of files) data.items.add(new File([Uint8Array.from(bytes)], name, { type }));
    return data;
  }, sent);
  const target = field(page, name).locator(".file-drop");
  for (const type of ["dragenter", "dragover"]) await target.dispatchEvent(type, { dataTransfer: data });
  await expect(target).toHaveClass(/over/);
  await target.dispatchEvent("drop", { dataTransfer: data });
  await expect(target).not.toHaveClass(/over/);
}

/** What the page's policy refused, and other complaints. */
function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") found.push(message.text());
  });
  return found;
}

test("an input is made a file in the page, and a text, a PDF and a dropped file reach the steps", { tag: "@firefox" }, async ({ page }) => {
  const found = complaints(page);
  await openDocument(page, { ...reading, input: undefined });
  const own = page.locator(".inspector").getByRole("group", { name: "Input", exact: true });
  await own.getByRole("button", { name: "Add a key" }).click();
  await own.getByLabel("Key", { exact: true }).fill("paper");
  await own.getByLabel("Kind").selectOption("File");
  await own.getByRole("button", { name: "Add a key" }).click();
  const more = own.getByRole("group", { name: "key", exact: true });
  await more.getByLabel("Kind").selectOption("List");
  await more.getByLabel("Each item is").selectOption("File");
  await more.getByLabel("Required").uncheck();
  await more.getByLabel("Key", { exact: true }).fill("more");
  expect((await exported(page))["input"]).toEqual(reading.input);

  await press(page);
  await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
  await expect(field(page, "paper").getByText("Needs a file.")).toBeVisible();
  await expect(field(page, "paper").locator("input")).toBeFocused();
  await choose(page, "paper", BEES);
  await expect(field(page, "paper").getByRole("listitem")).toHaveText("bees.mdMarkdown · 19 bytes");
  await expect(field(page, "paper").getByText("Needs a file.")).toHaveCount(0);
  // Several at once, and one more by dropping it.
  await choose(page, "more", PAPER);
  await expect(field(page, "more").getByRole("listitem")).toContainText(["ants.pdfPDF"]);
  await drop(page, "more", { name: "moths.txt", mimeType: "text/plain", buffer: Buffer.from("Moths fly.") });
  await expect(field(page, "more").getByRole("listitem")).toContainText(["ants.pdf", "moths.txtText · 10 bytes"]);
  await picture(page, "files-chosen");
  expect(await findings(page)).toEqual([]);
  await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
  await expect(runForm(page)).toHaveCount(0);
  await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
  await expect(page.locator(".final-state")).toContainText("They dance. / Ants walk.\\n\\nIn lines. / Moths fly.");
  await expect(card(page, "read")).toContainText("[simulated]");
  expect(await everythingStored(page), "a run that has ended leaves nothing").not.toContain("They dance.");

  // The next run offers the same files; one is taken away, another one replaces the first.
  await press(page);
  await expect(field(page, "more").getByRole("listitem")).toHaveCount(2);
  await field(page, "more").getByRole("button", { name: "Remove ants.pdf" }).click();
  await expect(field(page, "more").getByRole("listitem")).toContainText(["moths.txt"]);
  await choose(page, "paper", PAPER);
  await expect(field(page, "paper").getByRole("listitem")).toContainText(["ants.pdfPDF"]);
  await runForm(page).getByRole("button", { name: "As JSON" }).click();
  await expect(runForm(page).getByLabel("Values of the run")).toHaveValue(/"text": "Ants walk\.\\n\\nIn lines\."/);
  await runForm(page).getByRole("button", { name: "As a form" }).click();
  await expect(field(page, "paper").getByRole("listitem")).toContainText(["ants.pdf"]);
  expect(found).toEqual([]);
});

test("a file that cannot be taken is refused with what to do, and nothing else is lost", async ({ page }) => {
  await openDocument(page, reading);
  await press(page);
  const refused = async (name: string, content: string | Buffer, said: string): Promise<void> => {
    await choose(page, "paper", { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
    await expect(field(page, "paper").getByRole("alert")).toHaveText(said);
    await expect(field(page, "paper").getByRole("listitem")).toHaveCount(1);
    await expect(field(page, "paper").getByRole("listitem")).toContainText("bees.md");
  };
  await choose(page, "paper", BEES);
  await expect(field(page, "paper").getByRole("listitem")).toContainText("Markdown");
  const kinds = "pass txt, md, csv, tsv, json, yaml, xml, html, pdf, png, jpeg, gif, webp, wav, mp3, ogg, flac or m4a";
  await refused("run.exe", "MZ", `“run.exe” (application/octet-stream) is no file that is read: ${kinds}.`);
  await refused("none.txt", "", "“none.txt” is empty: choose another one.");
  await refused("broken.pdf", "%PDF-1.7 and no more", "“broken.pdf” is no PDF that can be read: open it in a viewer, and save it anew.");
  await refused("scan.pdf", pdfOf("", ""), "“scan.pdf” has no text: its pages are images: recognise its text first, or pass it to a model that reads PDFs, with pdf: \"file\".");
  await refused("long.txt", "x".repeat(500_001), "the text of “long.txt” has 500001 characters, more than 500000: choose a smaller one.");
  await refused("large.txt", Buffer.alloc(10_000_001, "x"), "“large.txt” is larger than 10 MB: choose a smaller one.");
  await refused("latin.txt", Buffer.from([0xe9, 0x20]), "“latin.txt” is no text in UTF-8: save it as UTF-8.");
  await picture(page, "files-refused");
  expect(await findings(page)).toEqual([]);
  await drop(page, "paper", BEES, PAPER);
  await expect(field(page, "paper").getByRole("alert")).toHaveText("There is room for one file: choose one of them.");
  // Of several, those that can be read are taken.
  await drop(page, "more", PAPER, { name: "x.zip", mimeType: "application/zip", buffer: Buffer.from("PK") }, BEES);
  await expect(field(page, "more").getByRole("listitem")).toContainText(["ants.pdfPDF", "bees.mdMarkdown"]);
  await expect(field(page, "more").getByRole("alert")).toContainText("“x.zip” (application/zip) is no file that is read");
  await drop(page, "more", ...Array.from({ length: 9 }, () => BEES));
  await expect(field(page, "more").getByRole("alert")).toHaveText("There is room for 10 files: choose fewer.");
  await expect(field(page, "more").getByRole("listitem")).toHaveCount(2);
  // What is dropped beside a field is a workflow to import, as everywhere on the page.
  await dropOn(page, ".topbar", { files: [{ name: "flow.json", text: JSON.stringify({ version: 1, name: "Other", steps: [] }) }] });
  await expect(page.locator(".title-input")).toHaveValue("Other");
});

test("the keyboard alone chooses and removes a file, in the dark and on a phone", async ({ page }) => {
  // From here on choosers come to the test; requested with the key that opens one, that may be too late.
  page.on("filechooser", () => {});
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  await openDocument(page, reading);
  await page.keyboard.press("Control+Enter");
  await expect(runForm(page)).toBeVisible();
  await field(page, "paper").locator("input").focus();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")]);
  await chooser.setFiles([{ ...BEES, name: `${"a long name of a file ".repeat(8)}.md` }]);
  await expect(field(page, "paper").getByRole("listitem")).toContainText("19 bytes");
  await picture(page, "files-narrow-dark");
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(field(page, "paper").getByRole("listitem")).toHaveCount(0);
});

test("the bytes of an image lie beside the journal, and a run that waits has them after a reload", { tag: "@firefox" }, async ({ page }) => {
  const base64 = PHOTO.buffer.toString("base64");
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "A bee." } }] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    await openDocument(page, {
      version: 1,
      name: "Look",
      models: { real: { provider: "openai", model: "tiny", baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` } },
      agents: { eye: { model: "real" } },
      input: { type: "object", required: ["photo"], properties: { photo: file } },
      steps: [
        { id: "s1", type: "approval", name: "ok" },
        { id: "s2", type: "agent", name: "look", agent: "eye", inputFrom: "What is it?", files: "[photo]" },
      ],
    });
    await press(page);
    await choose(page, "photo", PHOTO);
    await expect(field(page, "photo").getByRole("listitem")).toContainText("PNG image");
    await runForm(page).getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "Send and run" }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "suspended");
    const stored = await everythingStored(page);
    expect(stored).toContain("stepweave-builder-files");
    expect(stored).not.toContain(base64);

    await page.reload();
    await page.getByRole("button", { name: "Show it" }).click();
    await card(page, "ok").click();
    const form = page.getByRole("form", { name: "Answer" });
    await form.getByLabel("Answer").fill("true");
    await form.getByRole("button", { name: "Send and go on" }).click();
    await page.getByRole("button", { name: "Send and run" }).click();
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain(`data:image/png;base64,${base64}`);
    // As long as the page is there, its runs can be begun again with it.
    await card(page, "look").click();
    await page.getByRole("button", { name: "Run again from here" }).click();
    await expect.poll(() => bodies.length).toBe(2);
    expect(bodies[1]).toContain(base64);
    await expect(page.locator(".run-summary")).toHaveAttribute("data-status", "done");

    // Nobody needs the bytes in the next visit.
    await page.reload();
    const left = (): Promise<number> =>
      page.evaluate(async () => {
        const database = await new Promise<IDBDatabase>((done, failed) => {
          const opening = indexedDB.open("stepweave-builder-files");
          opening.onsuccess = () => done(opening.result);
          opening.onerror = () => failed(opening.error ?? new Error("the database refused"));
        });
        const keys = await new Promise<number>((done) => {
          const counting = database.transaction("bytes").objectStore("bytes").count();
          counting.onsuccess = () => done(counting.result);
        });
        database.close();
        return keys;
      });
    await expect.poll(left).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
