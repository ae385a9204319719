import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { chromium, firefox } from "./browsers/browsers.mjs";
import { PORT as port, SITES } from "./e2e/sites.js";

const root = fileURLToPath(new URL("..", import.meta.url));

// Files that pages make lie beside those of no other test.
const downloadsPath = join(root, "test-results/downloads", process.env.TEST_PARALLEL_INDEX ?? "");

// What engines of browsers differ in: pointers, keys, focus, files, storage, workers, policies. STEPWEAVE_E2E_FIREFOX=all runs the rest too.
const inFirefox = {
  name: "firefox",
  grep: process.env.STEPWEAVE_E2E_FIREFOX === "all" ? /./ : /@firefox/,
  use: { browserName: "firefox" as const, launchOptions: { ...firefox.launchOptions, downloadsPath } },
};
if (firefox.missing) console.log(`skip firefox: ${firefox.missing}`);

export default defineConfig({
  testDir: "e2e",
  outputDir: "../test-results",
  // Each test has a page of its own; two at a time are what a small machine runs without waiting on itself.
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env.CI !== undefined,
  // A busy machine may drop a mouse move; what passes only the second time is reported as flaky.
  retries: 1,
  reporter: [["list"], ["./e2e/failed.ts"]],
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    // A trace of every test takes a quarter of the time of all.
    trace: "on-first-retry",
  },
  projects: [
    { name: "chromium", use: { browserName: "chromium", launchOptions: chromium.launchOptions } },
    ...(firefox.missing ? [] : [inFirefox]),
  ],
  webServer: {
    command: `npx vite preview --config web/vite.config.ts --port ${port} --strictPort`,
    cwd: root,
    env: { STEPWEAVE_RELAY_INSIDE: SITES.join(" ") },
    url: `http://127.0.0.1:${port}`,
    reuseExistingServer: false,
  },
});
