// Node, for programs that still use require().
const stepweave = { ...require("stepweave"), reasoning: require("stepweave/reasoning") };

async function main() {
  const { conformance } = await import("./scenario.mjs");
  const { default: entries } = await import("./entries.mjs");
  for await (const outcome of conformance(stepweave, entries)) console.log(JSON.stringify(outcome));
}

main();
