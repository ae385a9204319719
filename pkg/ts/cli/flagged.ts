/** What errors and warnings say to a program, and what that is on a command line. */
const WORDS: readonly (readonly [said: RegExp, flagged: string])[] = [
  [/pass it: Workflow\.fromDocument\(document, \{ (\w+): (.*) \}\)(?:; to a worker with .*?\))?(?=\)?$)/g, "write --code module.js, a module with export const $1 = $2"],
  [/\bwrite onMismatch: "anew"/g, "write --anew"],
  [/\ballowOrigins\[\d+\] of a run\b/g, "an --allow-origin"],
  [/\ballowOrigins: \["([^"]*)"\]/g, "--allow-origin $1"],
  [/\bsecrets: \{ (\w+): \{ value(?:: "…")?, origins: \["([^"]*)".*?\] \} \}/g, "--secret $1@$2"],
  [/\bsecrets: \{ (\w+): "…" \}/g, "--secret $1"],
  [/\bpass journal: true or a store/g, "write --journal FOLDER"],
  [/the keys that are waited for are in result\.pending/g, "the keys that a run waits for are shown behind a `?`"],
  [/\bthe option `hosts` lists those that are/g, "--name HOST adds one"],
  [/\bthe option `origins` lists those that may/g, "those of this server alone may"],
  [/\braise limits\.(timeoutMs|maxTokens|maxCost)\b/g, "raise limits.$1 of the document or --$1"],
  [/--timeoutMs\b/g, "--timeout"],
  [/--maxTokens\b/g, "--max-tokens"],
  [/--maxCost\b/g, "--max-cost"],
  [/run again from this step(?:, with replay: "edit" and from)?/g, "run again from this step (stepweave resume with --from STEP)"],
  [/, or use replay: "edit" to run what differs/g, ""],
];

/** A text of an error or a warning with the flags that it is about. */
export function flagged(text: string): string {
  return WORDS.reduce((said, [program, line]) => said.replace(program, line), text);
}
