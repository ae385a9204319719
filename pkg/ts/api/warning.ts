/**
 * What a warning is about, as a word that stays the same between versions.
 *
 * | code | meaning |
 * | --- | --- |
 * | `log` | A function logged a line with `context.log`. |
 * | `write_conflict` | Two members of a parallel wrote the same key; the value of the later one stays. |
 * | `output_overwritten` | Two steps have the same name, and one overwrote `<name>_output` of the other. |
 * | `key_kept` | A patch has `undefined` for a key, which keeps its value. |
 * | `item_error` | What an item of a foreach should give has no value, and the foreach goes on without it. |
 * | `fallback` | A model failed, and the next one is called. |
 * | `output_mode` | A model does not take the schema of its answer, and JSON is requested in its prompt. |
 * | `param_dropped` | A parameter was left out, since the model takes none of the kind. |
 * | `cut_off` | A model's answer reached its limit of tokens. |
 * | `empty_answer` | A model answered with an empty text. |
 * | `endpoint_busy` | A request waits for a second or more, since its endpoint has asked others to come back later. |
 * | `secret_shown` | A secret is too short to be hidden: what an endpoint sends back may show it. |
 * | `usage_estimated` | A model reported no usage, so that what counts for limits is an estimate. |
 * | `tool_selection` | No tools were chosen for a step of an agent, since choosing failed. |
 * | `unused_answer` | An answer was given that no request waits for. |
 * | `step_gone` | The journal has answers of a step that the workflow no longer has. |
 * | `no_journal` | The run waits for a person, but nothing was kept to go on from. |
 * | `pages_left` | A request has more pages than it may read; the others are left out. |
 * | `pages_repeat` | A page leads to one that was read before; the pages end with it. |
 * | `unknown_outcome` | Nobody knows whether a request was carried out, and the run goes on without its answer, or ends. |
 * | `end_lost` | The journal breaks off before the run's end, since the store failed: the run can be taken up. |
 * | `end_conflict` | The journal has not the run's end, since another run has continued it. |
 * | `listener` | A listener threw or rejected. |
 */
export type WarningCode =
  | "log"
  | "write_conflict"
  | "output_overwritten"
  | "key_kept"
  | "item_error"
  | "fallback"
  | "output_mode"
  | "param_dropped"
  | "cut_off"
  | "empty_answer"
  | "endpoint_busy"
  | "secret_shown"
  | "usage_estimated"
  | "tool_selection"
  | "unused_answer"
  | "step_gone"
  | "no_journal"
  | "pages_left"
  | "pages_repeat"
  | "unknown_outcome"
  | "end_lost"
  | "end_conflict"
  | "listener"
  // A worker may be of a later version, which knows more of them.
  | (string & {});
