import { createRequire } from "node:module";

/** Loads a provider's own client; they are installed apart, in tests/vendors. */
export const vendor = createRequire(new URL("../../vendors/package.json", import.meta.url));
