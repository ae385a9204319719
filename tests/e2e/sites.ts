// Ports of sites without CORS headers. The server of the page lets its relay send to them, so they are known beforehand.

/** The port on which the builder is served. */
export const PORT = Number(process.env.STEPWEAVE_E2E_PORT ?? 4187);

const PROJECTS = ["chromium", "firefox"];

/** Which test has which sites: others run beside it. */
const USES = ["requests", "more requests", "list", "mcp", "mcp form"] as const;

/** The port of a project's site for such a test. */
export function sitePort(project: string, use: (typeof USES)[number]): number {
  return PORT + 20 + USES.length * PROJECTS.indexOf(project) + USES.indexOf(use);
}

/** The origins of all of them. */
export const SITES = PROJECTS.flatMap((project) => USES.map((use) => `http://127.0.0.1:${sitePort(project, use)}`));
