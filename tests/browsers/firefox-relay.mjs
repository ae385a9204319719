#!/usr/bin/env node
// Starts Firefox for Playwright, and stands between the two. Playwright sends every page the command to prefer a colour
// scheme, which the Firefox of long-term support does not know yet, and gives up when it is refused. So what that
// Firefox says to it is taken for yes; everything else goes through as it is, in both directions.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { WebSocket, WebSocketServer } from "ws";

const COMMAND = "emulation.setMediaFeaturesOverride";
const LISTENING = "WebDriver BiDi listening on ";

const firefox = spawn(process.env.FIREFOX_PATH, process.argv.slice(2), { stdio: ["ignore", "ignore", "pipe"] });
firefox.on("error", (error) => {
  console.error(`Firefox did not start: ${error.message}`);
  process.exit(1);
});
firefox.on("exit", (code) => process.exit(code ?? 1));
createInterface({ input: firefox.stderr }).on("line", (line) => {
  if (line.startsWith(LISTENING)) relay(line.slice(LISTENING.length));
  else console.error(line);
});

function relay(target) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  server.on("listening", () => console.error(`${LISTENING}ws://127.0.0.1:${server.address().port}`));
  server.on("connection", (playwright, { url }) => connect(playwright, new WebSocket(target + url, { perMessageDeflate: false })));
}

function connect(playwright, browser) {
  const sent = new Set();
  const opened = new Promise((resolve) => browser.on("open", resolve));
  playwright.on("message", async (data) => {
    const text = String(data);
    if (text.includes(COMMAND)) sent.add(JSON.parse(text).id);
    await opened;
    browser.send(text);
  });
  browser.on("message", (data) => playwright.send(answered(String(data), sent)));
  browser.on("close", () => playwright.close());
  playwright.on("close", () => browser.close());
}

/** What the browser says, but for its refusal of the one command. */
function answered(text, sent) {
  if (!text.includes('"unknown command"')) return text;
  const { id, error } = JSON.parse(text);
  return error === "unknown command" && sent.has(id) ? JSON.stringify({ type: "success", id, result: {} }) : text;
}
