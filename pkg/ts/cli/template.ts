import type { WorkflowDocument } from "../api/document.js";

/** A document that runs as it is: its model is the offline simulation, until another one is written in its place. */
export function documentNamed(name: string): string {
  const document: WorkflowDocument = {
    version: 1,
    name,
    description: "Sorts a message and answers it.",
    input: {
      type: "object",
      properties: { message: { type: "string", description: "What the customer wrote." }, customer: { type: "string" } },
    },
    initialState: { message: "My order has not arrived!", customer: "Ada" },
    models: { default: { provider: "demo", model: "demo" } },
    agents: { support: { model: "default", instructions: "You answer customers: friendly, exact, at most four sentences." } },
    steps: [
      { id: "prepare", type: "function", name: "prepare", run: { set: { urgent: "message is containing('!')" } } },
      { id: "draft", type: "agent", name: "draft", agent: "support", inputFrom: "Answer {{ customer }}: {{ message }}" },
      {
        id: "urgent",
        type: "condition",
        name: "urgent?",
        condition: "urgent",
        steps: [{ id: "people", type: "function", name: "to people", run: { set: { queue: "'people'" } } }],
        else: [{ id: "later", type: "function", name: "later", run: { set: { queue: "'inbox'" } } }],
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Tests of that document, which need no model. */
export function testsOf(): string {
  const tests = {
    cases: [
      {
        name: "what is urgent goes to people",
        state: { message: "Help!", customer: "Grace" },
        pins: { draft: "We are on it, Grace." },
        assert: [{ equals: "people", of: "queue" }, { contains: "Grace", of: "draft_output" }],
      },
      {
        name: "everything else waits",
        state: { message: "Thank you." },
        pins: { draft: "You are welcome." },
        assert: [{ equals: "inbox", of: "queue" }, { expression: "not urgent" }],
      },
    ],
  };
  return `${JSON.stringify(tests, null, 2)}\n`;
}

/** A project around that document, by the names of its files. */
export function projectFiles(name: string): { readonly [file: string]: string } {
  const manifest = {
    name: name.toLowerCase(),
    private: true,
    type: "module",
    scripts: { start: "stepweave run workflow.json", test: "stepweave validate workflow.json && stepweave test workflow.test.json", serve: "stepweave serve workflow.json", types: "stepweave types workflow.json --out workflow.types.ts" },
    dependencies: { stepweave: "^0.1.0" },
  };
  return {
    "workflow.json": documentNamed(name),
    "workflow.test.json": testsOf(),
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "README.md": `# ${name}

- \`npm install\`, then \`npm start\` runs the workflow; \`npm start -- --state message="Where is my order?"\` with another input
- \`npm test\` checks the document and runs its tests, without a model
- \`npm run serve\` serves it at http://127.0.0.1:8787

The model is an offline simulation. For a real one write, for example, \`{ "provider": "openai", "model": "gpt-5-mini" }\` under \`models\` in workflow.json, and run \`npm start -- --secret OPENAI_API_KEY\` with that variable set.
`,
  };
}
