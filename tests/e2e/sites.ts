// Ports of sites without CORS headers. The server of the page lets its relay send to them, so they are known beforehand.

/** The port on which the builder is served. */
export const PORT = Number(process.env.STEPWEAVE_E2E_PORT ?? 4187);

const PROJECTS = ["chromium", "firefox"];

/** The ports of a project's two sites. */
export function sitePorts(project: string): number[] {
  const first = PORT + 20 + 2 * PROJECTS.indexOf(project);
  return [first, first + 1];
}

/** The origins of all of them. */
export const SITES = PROJECTS.flatMap(sitePorts).map((port) => `http://127.0.0.1:${port}`);
