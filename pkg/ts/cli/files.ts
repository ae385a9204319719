/// <reference types="node" />
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { textOf } from "../api/errors.js";
import { misused } from "./arguments.js";

/** Bytes of a file that is read whole: a document or a journal that is larger is something else. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The text of a file; `-` is what comes in. */
export async function textOfFile(path: string): Promise<string> {
  try {
    const bytes = path === "-" ? await wholeInput() : await readFile(path);
    if (bytes.length > MAX_BYTES) throw new Error(`it has ${bytes.length} bytes`);
    // A mark of the byte order is what some editors put in front.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === "ENOENT";
    throw misused(isMissing ? `there is no file ${path}` : `${path} cannot be read: ${textOf(error)}`, isMissing ? "check the path; it is read from the folder that you are in" : "pass a text file in UTF-8");
  }
}

async function wholeInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The JSON of a file. */
export async function jsonOfFile(path: string): Promise<unknown> {
  const text = await textOfFile(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misused(`${path} is no JSON: ${textOf(error)}`, "check it with an editor that knows JSON");
  }
}

/** Writes a file over the one that is there, if any. Folders that are missing are made. */
export async function writtenTo(path: string, text: string): Promise<void> {
  await written(path, text, "w", "");
}

/** Writes a file where none is: what is there stays. `instead` says what to do then. */
export async function writtenNew(path: string, text: string, instead: string): Promise<void> {
  await written(path, text, "wx", instead);
}

async function written(path: string, text: string, flag: "w" | "wx", instead: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag });
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST" && flag === "wx") throw misused(`${path} is there already`, instead);
    throw misused(`${path} cannot be written: ${textOf(error)}`, "check the folder");
  }
}
