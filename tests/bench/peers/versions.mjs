import { readFileSync } from "node:fs";

/** The installed version of a peer, and the Node it asks for. */
export function versionOf(name) {
  const { version, engines } = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8"));
  return { name, version, node: engines?.node };
}
