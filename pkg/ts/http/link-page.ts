import type { PublicPending } from "../api/public-event.js";
import type { Json } from "../api/document.js";
import { digest } from "./digest.js";

const STYLE =
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}" +
  "button{font:inherit;padding:.6rem 1.2rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}p{overflow-wrap:anywhere;white-space:pre-line}";
let policy: Promise<string> | undefined;

/** The page on which a person confirms an answer: only its button gives that, so programs that open links in mails answer nothing. */
export function askingPage(workflow: string, { message, step, tool }: PublicPending, answer: Json): Promise<Response> {
  const about = tool === undefined ? step.name : `${step.name}: ${tool.name}`;
  const asked = tool?.input === undefined ? "" : `<pre>${escaped(JSON.stringify(tool.input, null, 2))}</pre>`;
  const label = LABELS[JSON.stringify(answer)];
  const said = label === undefined ? `<p>The answer is:</p><pre>${escaped(JSON.stringify(answer, null, 2))}</pre>` : "";
  return page(200, workflow, `<p>${escaped(message ?? about)}</p>${asked}${said}<form method="post"><button>${label ?? "Send this answer"}</button></form>`);
}

/** The page of which a person reads what came of it. */
export function sayingPage(status: number, workflow: string, text: string): Promise<Response> {
  return page(status, workflow, `<p>${escaped(text)}</p>`);
}

/** What the button says for the answers that approvals mostly have. */
const LABELS: Readonly<Record<string, string>> = { true: "Approve", false: "Deny", '{"approved":true}': "Approve", '{"approved":false}': "Deny" };

/** Nothing in it is a script, comes from elsewhere, leads elsewhere, or is shown inside of another page. */
async function page(status: number, title: string, body: string): Promise<Response> {
  const name = escaped(title);
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title><style>${STYLE}</style></head><body><main><h1>${name}</h1>${body}</main></body></html>`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": await (policy ??= policyOf()),
      "cache-control": "no-store",
      // The address is the permission: no other site is given it.
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex, nofollow",
    },
  });
}

async function policyOf(): Promise<string> {
  const hash = btoa(String.fromCharCode(...(await digest(STYLE))));
  return `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
