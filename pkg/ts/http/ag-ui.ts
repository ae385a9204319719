import type { ChatMessage } from "../api/conversation.js";
import { isObject } from "../api/json.js";
import { AgUiWriter } from "./ag-ui-writer.js";
import { chatOf } from "./chat.js";
import { foreignKeys } from "./input.js";
import { approvalOf } from "./interrupt.js";
import { Refused } from "./problem.js";
import type { Protocol } from "./protocol.js";

/** Characters that the name of a thread or of a run may have. */
const MAX_NAME = 500;

/** AG-UI 1.0: its events, and the `RunAgentInput` that its clients send. */
export const AG_UI: Protocol = {
  async read({ threadId, runId, state, messages, forwardedProps, resume }, input) {
    if (!isName(threadId) || !isName(runId) || !Array.isArray(messages)) {
      const faults = [...Object.entries({ threadId, runId }).flatMap(([name, value]) => (isName(value) ? [] : [`\`${name}\` has to be a text of 1 to ${MAX_NAME} characters`])), ...(Array.isArray(messages) ? [] : ["`messages` has to be a list"])];
      throw new Refused(400, "validation", `the body is no RunAgentInput of AG-UI: ${faults.join(", ")}`, { hint: "send what its clients send, such as HttpAgent" });
    }
    const names = { threadId, runId };
    // Whoever answers wants no new run.
    if (!Array.isArray(resume ?? [])) throw new Refused(400, "validation", "the `resume` of the body is no list", { hint: "send [{ interruptId, status, payload }], or leave it out" });
    if (Array.isArray(resume) && resume.length > 0) return { state: {}, resumes: resumed(resume), names };
    // Clients send the whole of the state that they were given: what is no input is left out, and not refused.
    const given = { ...own(state), ...own(forwardedProps), ...chatOf(messages.flatMap(said), input) };
    const foreign = new Set(await foreignKeys(input, given));
    return { state: Object.fromEntries(Object.entries(given).filter(([key]) => !foreign.has(key))), names };
  },
  writer({ runId, names = { threadId: runId, runId }, resumed }) {
    const writer = new AgUiWriter(runId, names);
    return {
      headers: {},
      // Whoever answered has the earlier events.
      write: (event, { replayed }) => (resumed !== undefined && replayed === true && event.type !== "run.start" ? "" : framesOf(writer.write(event))),
      fail: (error) => framesOf([writer.failed(error)]),
    };
  },
};

function resumed(resume: readonly unknown[]): { runId: string; answers: Record<string, unknown> } {
  const entries = resume.map((entry) => {
    const { interruptId: id, status, payload } = own(entry) as { interruptId?: unknown; status?: unknown; payload?: unknown };
    const approval = typeof id === "string" ? approvalOf(id) : undefined;
    if (approval === undefined) throw new Refused(400, "validation", "an entry of `resume` has no `interruptId` of this workflow", { hint: "send the `id` of an interrupt as it is" });
    if (status !== "resolved" && status !== "cancelled") throw new Refused(400, "validation", "an entry of `resume` has no `status`", { hint: "write resolved or cancelled" });
    return { ...approval, answer: status === "cancelled" ? { approved: false } : (payload ?? null) };
  });
  const { runId } = entries[0] as { runId: string };
  if (entries.some((entry) => entry.runId !== runId)) throw new Refused(400, "validation", "the entries of `resume` are of several runs", { hint: "answer one run at a time" });
  return { runId, answers: Object.fromEntries(entries.map(({ key, answer }) => [key, answer])) };
}

/** A message of a user or an assistant, its texts alone. */
function said(message: unknown): ChatMessage[] {
  const { role, content } = own(message) as { role?: unknown; content?: unknown };
  if (role !== "user" && role !== "assistant") return [];
  const texts = Array.isArray(content) ? content.map((part) => (own(part) as { type?: unknown; text?: unknown }).text) : [content];
  const text = texts.filter((part) => typeof part === "string").join("\n");
  return text === "" ? [] : [{ role, content: text }];
}

function own(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME;
}

function framesOf(events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}
