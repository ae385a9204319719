import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";

const root = fileURLToPath(new URL("..", import.meta.url));
const port = Number(process.env.STEPWEAVE_E2E_PORT ?? 4187);

// A browser of the machine is used where there is one; elsewhere Playwright brings its own.
const installed = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find((path) => path !== undefined && existsSync(path));

export default defineConfig({
  testDir: "e2e",
  outputDir: "../test-results",
  // Each test has a page of its own; two at a time are what a small machine runs without waiting on itself.
  fullyParallel: true,
  workers: 2,
  timeout: 30_000,
  expect: { timeout: 8_000 },
  forbidOnly: process.env.CI !== undefined,
  // A busy machine may drop a mouse move; what passes only the second time is told as flaky.
  retries: process.env.CI === undefined ? 0 : 1,
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    trace: "retain-on-failure",
    launchOptions: {
      ...(installed === undefined ? {} : { executablePath: installed }),
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    },
  },
  webServer: {
    command: `npx vite preview --config web/vite.config.ts --port ${port} --strictPort`,
    cwd: root,
    url: `http://127.0.0.1:${port}`,
    reuseExistingServer: false,
  },
});
