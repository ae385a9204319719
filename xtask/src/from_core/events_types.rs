//! The events in TypeScript: their types, and which of their fields are public.

use std::fmt::Write;

use stepweave_core::events::{Audience, COMMON, EVENTS, EventField, EventShape, FieldKind, Presence};

const MADE: &str =
    "// Made by `cargo xtask schema` from core/src/events.rs, which says who receives what: edit that.\n";

/// The events before the last one.
pub(crate) fn step_events() -> String {
    let mut text = MADE.to_owned();
    text.push_str(
        r#"import type { AnswerSource } from "./answer.js";
import type { ToolDecision } from "./decision.js";
import type { StepRef, StepweaveError } from "./errors.js";
import type { MediaPart } from "./conversation.js";
import type { Usage } from "./usage.js";
import type { WarningCode } from "./warning.js";

/** What every event has. */
export interface EventBase {
"#,
    );
    fields(&mut text, COMMON);
    text.push_str("}\n");
    EVENTS.iter().filter(|event| !is_end(event)).for_each(|event| interface(&mut text, event));
    text
}

/// All events: the last ones, which have results, and the type of any.
pub(crate) fn events() -> String {
    let (ends, others): (Vec<&EventShape>, Vec<&EventShape>) = EVENTS.iter().partition(|event| is_end(event));
    let names = |events: &[&EventShape], after: &str, between: &str| {
        events.iter().map(|event| type_name(event) + after).collect::<Vec<_>>().join(between)
    };
    let mut text = MADE.to_owned();
    let _ = write!(
        text,
        r#"import type {{ CancelledResult, DoneResult, StoppedResult, SuspendedResult }} from "./results.js";
import type {{
  EventBase,
  {},
}} from "./step-events.js";
export type * from "./step-events.js";
"#,
        names(&others, "", ",\n  "),
    );
    ends.iter().for_each(|event| interface(&mut text, event));
    let _ = write!(
        text,
        r#"
/** The last event of a run: exactly one of these comes, once. */
export type RunEndEvent<State = any> =
  | {};

/**
 * What a run tells while it goes on.
 *
 * ```ts
 * for await (const event of workflow.stream()) {{
 *   if (event.type === "step.delta") process.stdout.write(event.text);
 * }}
 * ```
 */
export type RunEvent<State = any> =
  | {}
  | RunEndEvent<State>;

/** The kinds of events. */
export type EventType = RunEvent["type"];

/** The event of one type, such as `EventOf<"step.done">`. */
export type EventOf<Type extends EventType, State = any> = Extract<RunEvent<State>, {{ type: Type }}>;

/** Is called with the events of this type; `"*"` stands for all of them. */
export type Listener<Type extends EventType | "*" = "*", State = any> = (
  event: Type extends EventType ? EventOf<Type, State> : RunEvent<State>,
) => unknown;
"#,
        names(&ends, "<State>", "\n  | "),
        names(&others, "", "\n  | "),
    );
    text
}

fn interface(text: &mut String, event: &EventShape) {
    let (name, state) = (type_name(event), if is_end(event) { "<State = any>" } else { "" });
    let _ = write!(
        text,
        "\n/** {} */\nexport interface {name}{state} extends EventBase {{\n  readonly type: \"{}\";\n",
        event.purpose, event.name,
    );
    fields(text, event.fields);
    text.push_str("}\n");
}

pub(crate) fn public_fields() -> String {
    let mut text = MADE.to_owned();
    let common = keys(COMMON);
    let _ = write!(
        text,
        "\n/** What callers of a served workflow may see of every event that is for them. */\nexport const PUBLIC_BASE = [\"type\", {common}] as const;\n\n/** What else they may see of each; an event that is not here is not for them. */\nexport const PUBLIC_FIELDS = {{\n",
    );
    for event in EVENTS.iter().filter(|event| event.audience == Audience::Public) {
        let _ = writeln!(text, "  \"{}\": [{}],", event.name, keys(event.fields));
    }
    text.push_str("} as const;\n");
    text
}

pub(crate) fn names() -> String {
    let mut text = MADE.to_owned();
    text.push_str("\n/** The types of all events. */\nexport const EVENT_TYPES: readonly string[] = [\n");
    for event in EVENTS {
        let _ = writeln!(text, "  \"{}\",", event.name);
    }
    text.push_str("];\n");
    text
}

fn keys(fields: &[EventField]) -> String {
    let public = fields.iter().filter(|field| field.audience == Audience::Public);
    public.map(|field| format!("\"{}\"", field.key)).collect::<Vec<_>>().join(", ")
}

/// `step.done` is a `StepDoneEvent`.
fn type_name(event: &EventShape) -> String {
    let words = event.name.split('.').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.chain(["Event".to_owned()]).collect()
}

fn is_end(event: &EventShape) -> bool {
    event.fields.iter().any(|field| matches!(field.kind, FieldKind::Result(_)))
}

fn fields(text: &mut String, fields: &[EventField]) {
    for field in fields {
        if !field.purpose.is_empty() {
            let _ = writeln!(text, "  /** {} */", field.purpose);
        }
        let sometimes = if field.presence == Presence::Sometimes { "?" } else { "" };
        let _ = writeln!(text, "  readonly {}{sometimes}: {};", field.key, type_of(field.kind));
    }
}

fn type_of(kind: FieldKind) -> String {
    let name = match kind {
        FieldKind::Text => "string",
        FieldKind::Count | FieldKind::Milliseconds => "number",
        FieldKind::True => "true",
        FieldKind::Any => "any",
        FieldKind::Step => "StepRef",
        FieldKind::Error => "StepweaveError",
        FieldKind::Usage => "Usage",
        FieldKind::WarningCode => "WarningCode",
        FieldKind::ToolDecisions => "readonly ToolDecision[]",
        FieldKind::Sources => "readonly AnswerSource[]",
        FieldKind::Files => "readonly MediaPart[]",
        FieldKind::Result("done") => "DoneResult<State>",
        FieldKind::Result("suspended") => "SuspendedResult<State>",
        FieldKind::Result("cancelled") => "CancelledResult<State>",
        FieldKind::Result(status) => return format!("StoppedResult<\"{status}\", State>"),
    };
    name.to_owned()
}
