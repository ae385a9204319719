// Operations of an OpenAPI description as tools. The page loads this when somebody reads one.
import { openApiOperations, openApiTools, type OpenApiLeftOut, type OpenApiSecret } from "stepweave/openapi";

/** What the dialog shows of an operation. */
interface Listed {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly about: string;
  readonly leftOut: string | undefined;
}

/** A description as the dialog shows it, or why it cannot be read. */
export type Reading = { readonly title: string; readonly servers: readonly string[]; readonly signsIn: boolean; readonly operations: readonly Listed[] } | { readonly error: string };

/** The tools as JSON text, since their schemas hold data of any kind, or why there are none. */
export type Making = { readonly tools: string; readonly secrets: readonly OpenApiSecret[]; readonly leftOut: readonly OpenApiLeftOut[] } | { readonly error: string };

export async function read(text: string): Promise<Reading> {
  try {
    const { title, servers, operations, schemes } = await openApiOperations(text);
    const listed = operations.map(({ name, method, path, summary, tags, leftOut }) => ({ name, method, path, about: summary ?? tags.join(", "), leftOut }));
    // One that is no whole address has no origin that a person could agree to.
    return { title, servers: servers.filter((server) => /^https?:\/\/[^{}]+$/.test(server)), signsIn: schemes.some(({ kind }) => kind === "basic"), operations: listed };
  } catch (error) {
    return { error: wordsOf(error) };
  }
}

export async function make(text: string, server: string, names: readonly string[], user: string): Promise<Making> {
  try {
    const { schemes } = await openApiOperations(text);
    const basic = schemes.filter(({ kind }) => kind === "basic" && user !== "").map(({ name }) => [name, { user }]);
    const { document, secrets, leftOut } = await openApiTools(text, { server, include: ({ name }) => names.includes(name), schemes: Object.fromEntries(basic) });
    return { tools: JSON.stringify(document), secrets, leftOut };
  } catch (error) {
    return { error: wordsOf(error) };
  }
}

function wordsOf(error: unknown): string {
  const { message, hint } = error as { message?: string; hint?: string };
  return [message, hint].filter(Boolean).join(": ");
}
