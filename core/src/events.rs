//! The table of events: the fields of each, and which of them callers of a served workflow may see.
//!
//! The TypeScript types, the list of public fields and the page of the documentation are made from it (`cargo xtask
//! schema`), and whoever reads events is tested against it.

/// An event that a run emits.
#[derive(Debug)]
pub struct EventShape {
    /// Such as `step.done`.
    pub name: &'static str,
    /// What it means.
    pub purpose: &'static str,
    /// Who may see it.
    pub audience: Audience,
    /// The fields that it has beside those of [all events](COMMON).
    pub fields: &'static [EventField],
}

/// A field of an event.
#[derive(Debug)]
pub struct EventField {
    /// The key.
    pub key: &'static str,
    /// What its value is.
    pub kind: FieldKind,
    /// Whether every such event has it.
    pub presence: Presence,
    /// Who may see it, where the event may be seen.
    pub audience: Audience,
    /// What it is; empty where its kind says it all.
    pub purpose: &'static str,
}

/// Who may see an event or a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Callers of a served workflow too.
    Public,
    /// Whoever runs the workflow: prompts, inputs and what goes on inside are theirs alone.
    Private,
}

/// Whether every event of the kind has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It has.
    Always,
    /// Where there is such a value.
    Sometimes,
}

/// What the value of a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text,
    /// A whole number from 0 up.
    Count,
    /// Milliseconds, as a number from 0 up.
    Milliseconds,
    /// True; the field is absent where it is not.
    True,
    /// Any JSON value.
    Any,
    /// Which execution of which step.
    Step,
    /// A failure.
    Error,
    /// What models counted.
    Usage,
    /// The stable word for a warning.
    WarningCode,
    /// Which tools a step of an agent chose.
    ToolDecisions,
    /// What an answer cites.
    Sources,
    /// The images and other files that a model made.
    Files,
    /// What the run came to: a result of this status.
    Result(&'static str),
}

/// The fields of every event.
pub const COMMON: &[EventField] = &[
    public(
        "seq",
        FieldKind::Count,
        "Counts up from 0 within a run. In one that goes on from its journal an event may have another number.",
    ),
    public("at", FieldKind::Milliseconds, "When, in milliseconds since 1970."),
    public("runId", FieldKind::Text, "Which run."),
    private("replayed", FieldKind::True, "Whether it comes out of a journal.").sometimes(),
];

/// Every event, in the order in which a run meets them.
pub const EVENTS: &[EventShape] = &[
    event(
        "run.start",
        "The first event of a run.",
        &[
            public("workflow", FieldKind::Text, "The workflow's name."),
            private("input", FieldKind::Any, "The state that the run begins with; it is read-only."),
        ],
    ),
    event(
        "step.start",
        "A step begins, or begins again.",
        &[
            STEP,
            public("attempt", FieldKind::Count, "1 for the first attempt."),
            private("input", FieldKind::Any, "The state that the step sees; it is read-only."),
        ],
    ),
    event(
        "step.delta",
        "A piece of an agent's answer arrived, or a function yielded.",
        &[
            STEP,
            public("text", FieldKind::Text, "Empty when a function yielded something else than a text."),
            public("value", FieldKind::Any, "What a function yielded, if it is no text.").sometimes(),
        ],
    ),
    private_event(
        "step.reasoning",
        "A piece of what a model thinks before it answers, where its endpoint shows it.",
        &[STEP, public("text", FieldKind::Text, "The piece.")],
    ),
    event(
        "step.reset",
        "The answer that arrived so far is dropped: it did not hold, and the model is called again, or another one is.",
        &[STEP],
    ),
    event(
        "tool.start",
        "A model calls a tool.",
        &[STEP, CALL, TOOL, private("input", FieldKind::Any, "What it is called with."), BY_PROVIDER],
    ),
    event(
        "tool.done",
        "A call of a tool gave its output.",
        &[STEP, CALL, TOOL, private("output", FieldKind::Any, "What it gave."), DURATION, BY_PROVIDER],
    ),
    event(
        "tool.error",
        "A call of a tool failed, or was not allowed. The model receives the error, and may go on.",
        &[STEP, CALL, TOOL, public("error", FieldKind::Error, "Why."), DURATION, BY_PROVIDER],
    ),
    event(
        "step.done",
        "A step is done.",
        &[
            STEP,
            ATTEMPTS,
            DURATION,
            private("input", FieldKind::Any, "The state that the step saw: that of its `step.start`."),
            public("output", FieldKind::Any, "What an agent answered, or what a condition decided.")
                .sometimes(),
            private("patch", FieldKind::Any, "What the step changed in the state.").sometimes(),
            public("usage", FieldKind::Usage, "What its models counted.").sometimes(),
            public("simulated", FieldKind::True, "Whether a `demo` model made the output up.").sometimes(),
            public("pinned", FieldKind::True, "Whether the step was not run, and gave its pinned output.")
                .sometimes(),
            private("responseId", FieldKind::Text, "The endpoint's id of an agent's answer.").sometimes(),
            public("sources", FieldKind::Sources, "What an agent's answer cites.").sometimes(),
            public("files", FieldKind::Files, "The images and other files that an agent's model made.")
                .sometimes(),
            private(
                "toolDecisions",
                FieldKind::ToolDecisions,
                "The tools that were chosen for a step of an agent, and what came of them.",
            )
            .sometimes(),
        ],
    ),
    event(
        "step.error",
        "An attempt failed. It is repeated when `retryInMs` is there.",
        &[
            STEP,
            public("error", FieldKind::Error, "Why."),
            ATTEMPTS,
            DURATION,
            public("retryInMs", FieldKind::Milliseconds, "How long the run waits for the next attempt.")
                .sometimes(),
        ],
    ),
    event("step.skipped", "A step was left out.", &[STEP, public("reason", FieldKind::Text, "Why.")]),
    event("step.suspended", "A step waits for a person's answer, or holds one that does.", &[STEP]),
    private_event(
        "run.warning",
        "Something that a person should look at and that stops nothing, or a line that a function logged.",
        &[
            public("code", FieldKind::WarningCode, "What it is about."),
            public("message", FieldKind::Text, "What there is to see."),
            public("step", FieldKind::Step, "The step that it is about, if about one.").sometimes(),
        ],
    ),
    event("run.done", "The last event of a run that reached its end.", &[result("done")]),
    event("run.error", "The last event of a run that a failure stopped.", &[result("error")]),
    event(
        "run.budget",
        "The last event of a run whose model calls used what `limits` allow.",
        &[result("budget")],
    ),
    event(
        "run.suspended",
        "The last event of a run that waits: for people, or for a time.",
        &[result("suspended")],
    ),
    event(
        "run.cancelled",
        "The last event of a run that was cancelled.",
        &[
            result("cancelled"),
            private("reason", FieldKind::Text, "Why it was cancelled, if a reason was given.").sometimes(),
        ],
    ),
];

const STEP: EventField = public("step", FieldKind::Step, "");
const CALL: EventField = public("callId", FieldKind::Text, "Tells this call from the others of its step.");
const TOOL: EventField = public("tool", FieldKind::Text, "The tool's name.");
const BY_PROVIDER: EventField =
    public("byProvider", FieldKind::True, "Whether the provider of the model ran it, as a tool of its own.")
        .sometimes();
const ATTEMPTS: EventField = public("attempts", FieldKind::Count, "How many attempts there were.");
const DURATION: EventField = public("durationMs", FieldKind::Milliseconds, "");

const fn event(name: &'static str, purpose: &'static str, fields: &'static [EventField]) -> EventShape {
    EventShape { name, purpose, audience: Audience::Public, fields }
}

const fn private_event(
    name: &'static str,
    purpose: &'static str,
    fields: &'static [EventField],
) -> EventShape {
    EventShape { name, purpose, audience: Audience::Private, fields }
}

const fn public(key: &'static str, kind: FieldKind, purpose: &'static str) -> EventField {
    EventField { key, kind, presence: Presence::Always, audience: Audience::Public, purpose }
}

const fn private(key: &'static str, kind: FieldKind, purpose: &'static str) -> EventField {
    EventField { audience: Audience::Private, ..public(key, kind, purpose) }
}

const fn result(status: &'static str) -> EventField {
    public("result", FieldKind::Result(status), "What the run came to.")
}

impl EventField {
    const fn sometimes(self) -> Self {
        Self { presence: Presence::Sometimes, ..self }
    }
}
