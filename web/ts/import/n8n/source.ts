// The nodes of n8n's files.
import { text, type Data } from "../data";

/** A node as the file has it. */
export interface Source {
  readonly name: string;
  readonly type: string;
  readonly version: number;
  /** What it is set to, without keys, and the names of the fields that lost one. */
  readonly parameters: Data;
  readonly lost: readonly string[];
  readonly disabled: boolean;
  readonly onError: string;
  readonly retries: number;
  /** Whether it runs once, whatever the number of items. */
  readonly once: boolean;
  readonly hasCredentials: boolean;
}

/** The last word of a node's type: `httpRequest`. */
export function kindOf(source: Source): string {
  return source.type.slice(source.type.lastIndexOf(".") + 1);
}

export function isTrigger(source: Source): boolean {
  return /trigger$/i.test(source.type) || /\.(?:webhook|start|cron|interval|emailReadImap|manualChatTrigger)$/.test(source.type);
}

/** Whether a node serves others, as a model or a tool does, and has no place in the flow itself. */
export function isServing(source: Source): boolean {
  const kind = kindOf(source);
  return kind.endsWith("Tool") || (source.type.includes("langchain.") && /^(?:lm|memory(?!Manager)|outputParser|embeddings|textSplitter|document|retriever|reranker|model|tool(?!Executor))/.test(kind));
}

/** Whether a node of a service sends a message and waits for what a person answers. */
export function isAsking({ parameters }: Source): boolean {
  return parameters["operation"] === "sendAndWait";
}

/** Whether a node is code that can run here. */
export function isScript(source: Source): boolean {
  const { jsCode, functionCode, language } = source.parameters;
  return /^(?:code|function|functionItem)$/.test(kindOf(source)) && (text(jsCode) || text(functionCode)) !== "" && !text(language).startsWith("python");
}
