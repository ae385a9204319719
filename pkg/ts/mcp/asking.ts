import { StepweaveError } from "../api/errors.js";
import type { JsonObject } from "../api/document.js";
import { tool, type Tool } from "../authoring/tool.js";
import { ANSWER, faultOf, questionOf } from "./elicitation.js";
import type { ServerName } from "./failure.js";
import type { CallResult, Elicited, InputRequest, InputRequired, McpCall } from "./shapes.js";

/** How often a server may ask in one call, and a person may give an answer that does not fit. */
const MAX_ROUNDS = 100;

/** The server that is called. */
export interface AskingServer {
  readonly server: ServerName;
  ask(call: Omit<McpCall, "name" | "_meta">, signal: AbortSignal | undefined): Promise<CallResult | InputRequired>;
  /** What a whole result gives. */
  read(result: CallResult): Promise<unknown>;
}

/** A call that people are asked about: all that the next answer needs, so that a journal is enough to go on. */
export interface Talk {
  readonly args: Record<string, unknown>;
  readonly requestState?: string;
  /** What the server asks, by its own names. */
  readonly open: readonly (readonly [name: string, request: InputRequest])[];
  readonly answers: Readonly<Record<string, Elicited>>;
  /** What the person is shown next, if one is to be asked. */
  readonly message: string;
  readonly isAsking: boolean;
}

/** The state of the steps: one key beside the arguments. */
export interface Asking {
  readonly mcp_call?: Talk;
  readonly mcp_result?: unknown;
  readonly person_output?: Elicited;
}

/**
 * A tool whose server may ask people: its steps call the server, suspend the run while a person is asked, and call it again
 * with the answer and the server's own note. The server remembers nothing meanwhile, and the journal has everything.
 */
export function askingTool(said: { name: string; description: string | undefined; input: JsonObject; needsApproval: boolean }, server: AskingServer): Tool {
  return tool({
    ...said,
    workflow: {
      steps: [
        { name: "call", run: (args: Record<string, unknown>, { signal }) => called(server, { args }, signal) },
        {
          name: "asked",
          repeat: { while: "mcp_call.isAsking" },
          maxIterations: MAX_ROUNDS,
          steps: [
            { name: "person", type: "approval", message: "{{ mcp_call.message }}", schema: ANSWER },
            { name: "answer", run: (state: Asking, { signal }) => answered(server, state, signal) },
          ],
        },
      ],
      set: { result: "mcp_result" },
    },
  });
}

/** Calls the server: the result, or what to ask. */
export async function called(server: AskingServer, { args, requestState, answers }: Partial<Talk>, signal: AbortSignal): Promise<Asking> {
  const result = await server.ask({ arguments: args ?? {}, ...(answers && { inputResponses: answers }), ...(requestState !== undefined && { requestState }) }, signal);
  if (!("resultType" in result) || result.resultType !== "input_required") return { mcp_call: { args: {}, open: [], answers: {}, message: "", isAsking: false }, mcp_result: await server.read(result as CallResult) };
  const open = Object.entries(result.inputRequests ?? {});
  const talk = { args: args ?? {}, open, answers: {}, isAsking: true, ...(result.requestState !== undefined && { requestState: result.requestState }) };
  const [first] = open;
  if (first === undefined) throw new StepweaveError("tool", `the MCP server ${server.server.name} asks for nothing before it goes on`, { hint: "call it again later, or tell whoever runs the server", retryable: true });
  // A request that must not be made is found before anyone is asked.
  const messages = open.map(([, request]) => questionOf(request, server.server).message);
  return { mcp_call: { ...talk, message: messages[0] as string } };
}

/** Takes a person's answer: the next request, the same once more where the answer does not fit, or the server. */
export async function answered(server: AskingServer, { mcp_call: talk, person_output: answer }: Asking, signal: AbortSignal): Promise<Asking> {
  const [first, ...others] = talk?.open ?? [];
  if (talk === undefined || first === undefined || answer === undefined) throw new StepweaveError("internal", "a person's answer belongs to no request of an MCP server");
  const [name, request] = first;
  const question = questionOf(request, server.server);
  const fault = await faultOf(answer, question);
  if (fault !== undefined) return { mcp_call: { ...talk, message: `${question.message}\n\nThe last answer did not fit: ${fault}.` } };
  const answers = { ...talk.answers, [name]: answer.action === "accept" ? { action: answer.action, ...(question.schema && { content: answer.content ?? {} }) } : { action: answer.action } };
  const [next] = others;
  if (next === undefined) return called(server, { ...talk, answers }, signal);
  return { mcp_call: { ...talk, open: others, answers, message: questionOf(next[1], server.server).message } };
}
