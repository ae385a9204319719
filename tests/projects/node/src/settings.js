// What is set from outside: keys, and where runs may take them.

/** The only origins that runs send requests to: those that the builder showed when it made this project. */
const allowOrigins = ["https://api.anthropic.com","https://bank.example:8443"];

/** The keys that the workflow names, each with the only origins that it is sent to. */
const keys = [["ANTHROPIC_API_KEY",["https://api.anthropic.com"]],["BANK_KEY",["https://bank.example:8443"]]];

/** The options of every run. */
export function runOptions(environment) {
  const set = keys.map(([name, origins]) => [name, { value: setting(environment, name), origins }]);
  return { secrets: Object.fromEntries(set.filter(([, { value }]) => value !== undefined)), allowOrigins };
}

/** What is set by this name, without the line break that a piped one ends with; nothing where nothing is set. */
export function setting(environment, name) {
  const text = environment[name];
  if (text === undefined) return undefined;
  if (typeof text === "string" && text.trim() !== "") return text.trim();
  throw new Error(`${name} is no text, or empty: set the environment variable ${name}`);
}
