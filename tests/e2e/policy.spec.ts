// What the page's policy forbids, such as inline styles, is never done: a browser would do it by itself where text is edited.
import { expect, test } from "@playwright/test";
import { card, kind, openDocument, run, written } from "./builder.js";

test("whatever is done to a text, and to a workflow, the policy of the page holds", async ({ page, browserName }) => {
  test.skip(browserName !== "chromium", "the browser is given its own commands, as menus and screen keyboards do");
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || /Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, sourceFile }) => console.error(`refused: ${violatedDirective} ${sourceFile}`), true);
  });
  const text = "On {{ topic | upper }}\nthe second {{ topic }} line\n{% if topic %}x{% endif %}";
  await openDocument(page, {
    version: 1,
    name: "Policy",
    initialState: { topic: "bees" },
    models: { default: { provider: "demo", model: "demo" } },
    agents: { helper: { model: "default" } },
    steps: [{ id: "s1", type: "agent", name: "ask", agent: "helper", inputFrom: text }],
  });
  await card(page, "ask").click();
  const prompt = page.locator(".inspector").getByLabel("Prompt");
  await prompt.click();
  await expect.poll(() => written(prompt)).toBe(text);
  const session = await page.context().newCDPSession(page);
  const command = async (name: string): Promise<void> => {
    await session.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Unidentified", commands: [name] });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", key: "Unidentified" });
  };
  // The end of a line, which joins it with the next one, whose words have other colours.
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await command("DeleteForward");
  await expect.poll(() => written(prompt)).toBe(text.replace("}}\nthe", "}}the"));
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Home");
  await command("DeleteBackward");
  await expect.poll(() => written(prompt)).toBe(text.replace("}}\nthe", "}}the").replace("line\n", "line"));
  await page.keyboard.press("Control+Home");
  await command("DeleteToEndOfLine");
  for (const over of ["z", "{", "("]) {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(over);
    await page.keyboard.press("Control+z");
  }
  await page.keyboard.press("Control+a");
  await session.send("Input.imeSetComposition", { text: "ni", selectionStart: 2, selectionEnd: 2 });
  await session.send("Input.insertText", { text: "你 {{ topic }}" });
  await expect.poll(() => written(prompt)).toBe("你 {{ topic }}");
  await run(page);
  for (const word of ["condition", "http", "foreach", "function", "approval"]) await kind(page, word).click();
  await page.locator(".canvas").press("Escape");
  await page.keyboard.press("J");
  await page.keyboard.press("J");
  for (let step = 0; step < 5; step += 1) await page.getByRole("button", { name: "Undo" }).click();
  expect(refused).toEqual([]);
});
