//! The page of the documentation that lists all events.

use std::fmt::Write;

use stepweave_core::events::{Audience, COMMON, EVENTS, EventField, FieldKind, Presence};

pub(crate) fn page() -> String {
    let mut text = r#"<!-- Made by `cargo xtask schema` from core/src/events.rs: edit that. -->
# Events

A run emits events while it goes on: `workflow.stream()`, `run.events` and `workflow.on(type, listener)` give the same ones.
The last event of every run carries its result, and there is exactly one.

`input` is the state itself and no copy of it: it is frozen, and events of steps that see the same state have the same object.

A *public* field is what `publicEvent(event)` leaves for callers of a workflow that you serve: no prompts, inputs or internals.
Errors become what `publicError` gives, results what `publicResult` does: the state is yours to show, and of the conversations
and [full answers](tools.md#the-input-of-an-agent) that agents leave in it callers see what was said, without reasoning and
without what tools got and gave. Of a private event it gives nothing.

```ts
import { publicEvent, Workflow } from "stepweave";

const workflow = new Workflow({
  name: "measure",
  initialState: { text: "a private note" },
  steps: [{ name: "count", run: ({ text }) => ({ length: text.length }) }],
});

for await (const event of workflow.stream()) {
  const shown = publicEvent(event);
  if (shown !== undefined) console.log(Object.keys(shown).join(" "));
}
```

```text
type seq at runId workflow
type seq at runId step attempt
type seq at runId step attempts durationMs
type seq at runId result
```

## Every event

"#
    .to_owned();
    fields(&mut text, Audience::Public, COMMON);
    for event in EVENTS {
        let private = if event.audience == Audience::Private { " It is private." } else { "" };
        let _ = write!(text, "\n## `{}`\n\n{}{private}\n\n", event.name, event.purpose);
        fields(&mut text, event.audience, event.fields);
    }
    text
}

fn fields(text: &mut String, event: Audience, fields: &[EventField]) {
    text.push_str("| field | | public | |\n| --- | --- | --- | --- |\n");
    for field in fields {
        let sometimes = if field.presence == Presence::Sometimes { ", sometimes" } else { "" };
        let is_public = event == Audience::Public && field.audience == Audience::Public;
        let public = if is_public { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| `{}` | {}{sometimes} | {public} | {} |",
            field.key,
            kind(field.kind),
            field.purpose
        );
    }
}

fn kind(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Count => "number",
        FieldKind::Milliseconds => "milliseconds",
        FieldKind::True => "`true`",
        FieldKind::Any => "JSON",
        FieldKind::Step => "`{ id, path, name, key }`",
        FieldKind::Error => "`StepweaveError`",
        FieldKind::Usage => "`Usage`",
        FieldKind::WarningCode => "`WarningCode`",
        FieldKind::ToolDecisions => "a list of decisions",
        FieldKind::Sources => "a list of `{ url?, title?, text? }`",
        FieldKind::Files => "a list of `{ type, mediaType, data or url, name? }`",
        FieldKind::Result(_) => "`RunResult`",
    }
}
