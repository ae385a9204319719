// The browsers that tests run in, as Playwright starts them.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as playwright from "@playwright/test";

// The shell is the same engine without the windows, and takes half the time of a processor per page.
const CHROMIUM = [process.env.CHROMIUM_PATH, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => path && existsSync(path));
const FIREFOX = [process.env.FIREFOX_PATH, "/usr/bin/firefox-esr"].find((path) => path && existsSync(path));

/** Chromium: the machine's, or else the one that Playwright brings. */
export const chromium = browser(playwright.chromium, "chromium", {
  launchOptions: {
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
  },
});

/** The machine's own Firefox, spoken to over WebDriver BiDi; what Playwright brings under this name is a changed one. */
export const firefox = browser(playwright.firefox, "firefox", {
  missing: FIREFOX === undefined && "there is no Firefox here (FIREFOX_PATH)",
  launchOptions: {
    channel: "moz-firefox",
    executablePath: fileURLToPath(new URL("firefox-relay.mjs", import.meta.url)),
    env: { ...process.env, FIREFOX_PATH: FIREFOX },
    // A single page cannot be set to light or dark.
    firefoxUserPrefs: { "layout.css.prefers-color-scheme.content-override": 1 },
  },
});

/** Those in which everything has to work that a page can do. */
export const browsers = [chromium, firefox];

function browser(type, name, { missing = false, launchOptions }) {
  return {
    name,
    /** Why nothing can be tested in it here, where that is so: a test's reason to be skipped. */
    missing,
    launchOptions,
    /** Starts it. */
    launch: (options) => type.launch(added(options)),
    /** Starts it with a profile on the disk, as outside of private windows. */
    open: (profile, options) => type.launchPersistentContext(profile, added(options)),
  };

  function added({ args = [], firefoxUserPrefs = {} } = {}) {
    return {
      ...launchOptions,
      args: [...(launchOptions.args ?? []), ...args],
      ...(launchOptions.firefoxUserPrefs && { firefoxUserPrefs: { ...launchOptions.firefoxUserPrefs, ...firefoxUserPrefs } }),
    };
  }
}
