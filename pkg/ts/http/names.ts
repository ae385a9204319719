import { originAlone } from "../effects/origin.js";

/** Pages of apps and browser extensions have origins that are no http(s) addresses; a page in a sandbox has `null`. */
const OTHER_ORIGIN = /^(?:null|(?!https?:)[a-z][a-z\d+.-]*:\/\/[^\s/?#*]+)$/;

/** The origin of pages that this text names, as browsers write it; nothing where no page has such a one. */
export function pageOriginFrom(text: string): string | undefined {
  return originAlone(text) ?? (OTHER_ORIGIN.test(text) ? text : undefined);
}

/** The host that this text names, as a request's address has it: without the port that is meant anyway; nothing where no request has such a one. */
export function hostFrom(text: string): string | undefined {
  return originAlone(`https://${text.replace(/:(?:80|443)$/, "")}/`)?.slice("https://".length);
}
