// The runtime's own fetch against a real endpoint. The words of its errors are the runtime's; their codes are ours.

/** Asks the endpoint in every way it can answer; returns what is wrong. */
export async function network({ Agent, anthropic, ollama, openai, Workflow }, { origin, nowhere }) {
  const ask = async (baseUrl, apiKey = "canary-123", model = openai) => {
    const agent = new Agent({ name: "asked", model: model("m", { baseUrl, apiKey }) });
    const workflow = new Workflow({ name: "network", steps: [{ name: "ask", agent, inputFrom: "hi" }] });
    const run = workflow.start();
    const deltas = [];
    for await (const event of run.events) if (event.type === "step.delta") deltas.push(event.text);
    const { status, state, errors } = await run.result;
    const [error] = errors;
    const shown = JSON.stringify(errors);
    return { status, answer: state.ask_output, deltas, code: error?.code, isKeyShown: shown.includes("canary-123"), shown };
  };
  const faults = [];
  const check = async (what, answered, isRight) => {
    const outcome = await answered;
    if (!isRight(outcome) || outcome.isKeyShown) faults.push(`${what} gave ${JSON.stringify(outcome)}`);
  };
  await check("an answer in parts", ask(`${origin}/streams`), ({ answer, deltas }) => answer === "one two" && deltas.length === 2);
  await check("a wrong key", ask(`${origin}/streams`, "canary-456"), ({ code }) => code === "auth");
  await check("an answer that breaks off", ask(`${origin}/breaks`), ({ code, deltas }) => code === "network" && deltas.join() === "one ");
  await check("a redirect", ask(`${origin}/redirects`), ({ code, shown }) => code === "network" && shown.includes("redirect"));
  await check("an endpoint that is down", ask(nowhere), ({ code, shown }) => code === "network" && shown.includes(`${nowhere} could not be reached`));
  const isToStart = ({ code, shown }) => code === "network" && shown.includes("if Ollama is not running") && shown.includes("start it with `ollama serve`");
  await check("a server of one's own that is down", ask(nowhere, "canary-123", ollama), isToStart);
  await check("an endpoint that wants to know of pages", ask(`${origin}/pages`, "canary-123", anthropic), ({ answer }) => answer === "one two");
  return faults;
}
