import type { RunOptions } from "../api/run.js";
import { fileStore } from "../journal/file.js";
import { type Flags, type Given, numberOf } from "./arguments.js";
import { CODE_FLAG } from "./document.js";
import type { Io } from "./io.js";
import { SECRET_FLAG, secretsFrom } from "./values.js";

/** The flags that bound what a run may do. */
export const BOUND_FLAGS: Flags = {
  ...CODE_FLAG,
  ...SECRET_FLAG,
  "allow-origin": { value: "origin", multiple: true, about: "an origin that the document may reach; with one or more of them no other may be reached, and one of your own machine needs it" },
  "max-cost": { value: "dollars", about: "ends the run once its models have cost so much" },
  "max-tokens": { value: "number", about: "ends the run once its models have used so many tokens" },
  timeout: { value: "seconds", about: "ends the run after so long" },
};

/** What these flags say, as options of a run. */
export function boundsFrom(given: Given, io: Pick<Io, "variable">): Pick<RunOptions, "secrets" | "allowOrigins" | "limits"> {
  const [maxCost, maxTokens, timeout] = [numberOf(given, "max-cost"), numberOf(given, "max-tokens"), numberOf(given, "timeout")];
  const secrets = secretsFrom(given, io);
  const origins = given.all("allow-origin");
  return {
    ...(secrets !== undefined && { secrets }),
    ...(origins.length > 0 && { allowOrigins: origins }),
    limits: { ...(maxCost !== undefined && { maxCost }), ...(maxTokens !== undefined && { maxTokens }), ...(timeout !== undefined && { timeoutMs: Math.ceil(timeout * 1000) }) },
  };
}

/** The flag of the folder that journals are in. */
export const JOURNAL_FLAG: Flags = {
  journal: { value: "folder", about: "the folder of journals, a file for each run" },
};

/** The journals of a folder, if one is named. */
export function storeFrom(given: Given): ReturnType<typeof fileStore> | undefined {
  const folder = given.one("journal");
  return folder === undefined ? undefined : fileStore(folder);
}
