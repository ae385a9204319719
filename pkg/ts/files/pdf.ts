import { StepweaveError } from "../api/errors.js";

/** How many pages are read. */
const MOST_PAGES = 2000;

/** What is read of a PDF with the package `unpdf`, as far as it is used. */
interface Pdf {
  readonly numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<{ items: readonly { readonly str?: string; readonly hasEOL?: boolean }[] }>; cleanup(): unknown }>;
  readonly loadingTask: { destroy(): Promise<void> };
}

/** The text of a PDF, page by page, as long as it may be; throws `validation`. `what` names the file. */
export async function textOfPdf(bytes: Uint8Array, maxCharacters: number, what: string): Promise<string> {
  const pdf = await opened(bytes, what);
  try {
    if (pdf.numPages > MOST_PAGES) throw new StepweaveError("limit", `${what} has ${pdf.numPages} pages, and no more than ${MOST_PAGES} are read`, { hint: "pass a part of it" });
    const pages: string[] = [];
    let length = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map(({ str = "", hasEOL }) => (hasEOL === true ? `${str}\n` : str)).join("").trim();
      page.cleanup();
      length += text.length + 2;
      // Seen before the next page: a small file can have an endless text.
      if (length > maxCharacters + 2) throw new StepweaveError("limit", `the text of ${what} is longer than ${maxCharacters} characters`, { hint: "raise maxCharacters, or pass a part of it" });
      pages.push(text);
    }
    const text = pages.filter((page) => page !== "").join("\n\n");
    if (text === "") throw wrong(`${what} has no text: its pages are images`, 'recognise its text first, or pass it to a model that reads PDFs, with pdf: "file"');
    return text;
  } catch (error) {
    throw error instanceof StepweaveError ? error : broken(error, what);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function opened(bytes: Uint8Array, what: string): Promise<Pdf> {
  let library: { getDocumentProxy(bytes: Uint8Array, options: object): Promise<unknown> };
  try {
    library = await import("unpdf");
  } catch (error) {
    throw new StepweaveError("handler", "reading PDFs needs the package unpdf", { cause: error, hint: "npm install unpdf" });
  }
  try {
    // It takes the bytes for itself. Nothing of a PDF is run, and nothing fetched.
    return (await library.getDocumentProxy(bytes.slice(), { verbosity: 0, isEvalSupported: false, enableXfa: false, disableFontFace: true })) as Pdf;
  } catch (error) {
    throw broken(error, what);
  }
}

function broken(error: unknown, what: string): StepweaveError {
  const isLocked = (error as { name?: unknown } | null)?.name === "PasswordException";
  if (isLocked) return wrong(`${what} is locked with a password`, "pass it without one", error);
  return wrong(`${what} is no PDF that can be read`, "open it in a viewer, and save it anew", error);
}

function wrong(message: string, hint: string, cause?: unknown): StepweaveError {
  return new StepweaveError("validation", message, { hint, retryable: false, ...(cause !== undefined && { cause }) });
}
