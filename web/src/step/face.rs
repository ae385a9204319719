//! What a card says about its step.

use stepweave_core::document::{
    Approval, Check, Document, Exit, ExitScope, ExitStatus, Foreach, HandlerRef, Inner, Loop, OnError,
    OnItemError, OnMax, Repeat, Run, Source, Step, StepKind, Wait,
};

use super::span::written;
use super::upright::upright;

/// What a card says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Face {
    /// The step's name.
    pub name: String,
    /// What stands below the name. It is apart, so that it stays as it is while a name is typed.
    pub says: Says,
    /// Whether the step is left out of runs.
    pub off: bool,
    /// Whether a failure lets the run go on.
    pub optional: bool,
    /// Whether its output is pinned.
    pub pinned: bool,
    /// What its author notes.
    pub note: Option<String>,
}

/// What a card says about what its step does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Says {
    /// Words before the summary that say what it is, such as "while".
    pub lead: String,
    /// One line on what it does.
    pub summary: String,
    /// Whether the summary is code.
    pub code: bool,
    /// A line of less weight below.
    pub detail: String,
}

impl Face {
    /// The face of a step of this document.
    pub fn of(document: &Document, step: &Step) -> Self {
        let Says { lead, summary, code, detail } = Says::of(document, step);
        let says = Says { lead, summary: upright(summary), code, detail: upright(detail) };
        let pinned = document.pins.contains_key(&step.id);
        let note = step.notes.clone().filter(|note| !note.trim().is_empty());
        let (name, off, optional) = (step.name.clone(), !step.enabled, is_optional(step));
        Self { name, says, off, optional, pinned, note }
    }
}

impl Says {
    fn of(document: &Document, step: &Step) -> Self {
        match &step.kind {
            StepKind::Agent(call) => {
                let agent = document.agents.get(&call.agent);
                let model = agent.and_then(|agent| document.models.get(&agent.model));
                let mut summary = match model {
                    Some(model) => format!("{} · {}", call.agent, model.model),
                    None => call.agent.clone(),
                };
                if let Some(tools) = agent.map(|agent| agent.tools.len()).filter(|many| *many > 0) {
                    summary = format!("{summary} · {}", counted(tools, "tool"));
                }
                Self { detail: input_text(call.input_from.as_ref()), ..Self::plain(summary) }
            }
            StepKind::Function(run) => computed(run),
            StepKind::Http(call) => Self {
                code: true,
                lead: call.http.method().word().to_owned(),
                ..Self::plain(call.http.url.clone())
            },
            StepKind::Condition(branch) => Self::deciding("", &branch.condition),
            StepKind::Switch(switch) => Self::plain(counted(switch.cases.len(), "case")),
            StepKind::Parallel(fork) => {
                let at_once = fork.concurrency.map(|many| format!(", {many} at once"));
                Self::plain(counted(fork.members.len(), "lane") + at_once.as_deref().unwrap_or(""))
            }
            StepKind::Sequence(steps) => Self::plain(counted(steps.len(), "step")),
            StepKind::Foreach(foreach) => each(foreach),
            StepKind::Loop(repeated) => again(repeated),
            StepKind::Workflow(inner) => apart(inner),
            StepKind::Wait(wait) => waiting(wait),
            StepKind::Approval(approval) => asking(approval),
            StepKind::End(exit) => ending(exit),
        }
    }

    fn plain(summary: String) -> Self {
        Self { summary, ..Self::default() }
    }

    fn deciding(lead: &str, source: &Source) -> Self {
        Self { lead: lead.to_owned(), summary: text(source), code: true, ..Self::default() }
    }
}

/// No card and no lane shows more of a text, in bytes.
const SEEN: usize = 400;

/// The beginning of a source in one line, as a card or a lane shows it.
pub fn text(source: &Source) -> String {
    match source {
        Source::Text(text) => beginning(text),
        Source::Handler(handler) => called(handler),
    }
}

/// The beginning of a text in one line.
fn beginning(text: &str) -> String {
    let (seen, rest) = text.split_at(text.floor_char_boundary(SEEN));
    let line = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    if rest.is_empty() { line } else { line + "…" }
}

fn is_optional(step: &Step) -> bool {
    !step.required || step.on_error == Some(OnError::Continue)
}

fn input_text(input: Option<&Source>) -> String {
    match input {
        None => "Is given the whole state".to_owned(),
        Some(source) => text(source),
    }
}

fn computed(run: &Run) -> Says {
    let summary = match run {
        Run::Handler(handler) => called(handler),
        Run::Set(rows) if rows.is_empty() => "sets nothing yet".to_owned(),
        Run::Set(rows) => {
            let rows = rows.iter().take(SEEN / 8);
            rows.map(|(key, value)| format!("{key} = {}", beginning(value))).collect::<Vec<_>>().join(", ")
        }
        Run::Code(code) => match code.lines().map(str::trim).find(|line| !line.is_empty()) {
            Some(line) => beginning(line),
            None => "no code yet".to_owned(),
        },
    };
    Says { code: true, ..Says::plain(summary) }
}

fn each(foreach: &Foreach) -> Says {
    let mut details = Vec::new();
    if foreach.concurrency > 1 {
        details.push(format!("{} at once", foreach.concurrency));
    }
    match foreach.on_item_error {
        OnItemError::Stop => {}
        OnItemError::Null => details.push("a failure gives null".to_owned()),
        OnItemError::Drop => details.push("failures are dropped".to_owned()),
    }
    if let Some(result) = &foreach.result {
        details.push(format!("gives {result}"));
    }
    let lead = format!("for each {} of", foreach.item);
    Says { detail: details.join(" · "), ..Says::deciding(&lead, &foreach.items) }
}

fn again(repeated: &Loop) -> Says {
    let then = match repeated.on_max {
        OnMax::Error => "",
        OnMax::Continue => ", then on",
    };
    let detail = match repeated.max_iterations {
        1 => format!("at most once{then}"),
        many => format!("at most {many} times{then}"),
    };
    let says = match &repeated.repeat {
        Repeat::While(source) => Says::deciding("while", source),
        Repeat::Until(source) => Says::deciding("until", source),
    };
    Says { detail, ..says }
}

fn apart(inner: &Inner) -> Says {
    let given = match &inner.with {
        None => "is given the whole state".to_owned(),
        Some(rows) if rows.is_empty() => "is given nothing".to_owned(),
        Some(rows) => format!("is given {}", rows.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    let gives = match &inner.set {
        None => "gives all its state".to_owned(),
        Some(rows) if rows.is_empty() => "gives nothing".to_owned(),
        Some(rows) => format!("gives {}", rows.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    Says { detail: format!("{given}, {gives}"), ..Says::plain("Workflow with its own state".to_owned()) }
}

fn waiting(wait: &Wait) -> Says {
    match wait {
        Wait::Ms(milliseconds) => Says { lead: "waits".to_owned(), ..Says::plain(written(*milliseconds)) },
        Wait::Until(expression) => Says::deciding("waits until", &Source::Text(expression.clone())),
    }
}

fn asking(approval: &Approval) -> Says {
    let message = approval.message.clone().filter(|text| !text.trim().is_empty());
    let summary = message.map_or_else(|| "Waits for a person".to_owned(), |text| beginning(&text));
    let keys = approval.schema.as_ref().and_then(Check::properties);
    let detail = match keys {
        Some(keys) => format!("asks for {}", keys.keys().cloned().collect::<Vec<_>>().join(", ")),
        None if approval.schema.is_some() => "asks for one value".to_owned(),
        None => "takes any answer".to_owned(),
    };
    let detail = match approval.expires_ms {
        None => detail,
        Some(milliseconds) => format!("{detail}, within {}", written(milliseconds)),
    };
    Says { detail, ..Says::plain(summary) }
}

fn ending(exit: &Exit) -> Says {
    let what = match exit.scope {
        ExitScope::Run => "the run",
        ExitScope::Round => "this round",
        ExitScope::Item => "this item",
    };
    let how = match exit.status {
        ExitStatus::Done => "",
        ExitStatus::Error => " with an error",
    };
    let what = format!("{what}{how}");
    match exit.message.as_deref().filter(|message| !message.trim().is_empty()) {
        Some(message) => Says { lead: format!("ends {what}"), ..Says::plain(beginning(message)) },
        None => Says { lead: "ends".to_owned(), ..Says::plain(what) },
    }
}

fn called(handler: &HandlerRef) -> String {
    match &handler.version {
        Some(version) => format!("function {} v{version}", handler.handler),
        None => format!("function {}", handler.handler),
    }
}

/// So many of something, in words.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s yet"),
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn face(step: Value) -> Face {
        let document = json!({ "version": 1, "name": "t", "steps": [step] });
        let document: Document = serde_json::from_value(document).unwrap();
        Face::of(&document, document.step("s1").unwrap())
    }

    fn line(step: Value) -> String {
        let Says { lead, summary, detail, .. } = face(step).says;
        format!("{lead}|{summary}|{detail}")
    }

    #[test]
    fn a_card_says_what_its_step_does() {
        let each = json!({ "id": "s1", "type": "foreach", "name": "f", "items": "topics", "as": "topic",
            "steps": [], "concurrency": 3, "onItemError": "null" });
        assert_eq!(line(each), "for each topic of|topics|3 at once · a failure gives null");
        let again = json!({ "id": "s1", "type": "loop", "name": "l", "repeat": { "while": { "handler": "more", "version": "2" } },
            "maxIterations": 5, "steps": [] });
        assert_eq!(line(again), "while|function more v2|at most 5 times");
        let wait = json!({ "id": "s1", "type": "wait", "name": "w", "wait": { "ms": 90000 } });
        assert_eq!(line(wait), "waits|1 min 30 s|");
        let apart = json!({ "id": "s1", "type": "workflow", "name": "w", "steps": [], "with": { "a": "b" }, "set": {} });
        assert_eq!(line(apart), "|Workflow with its own state|is given a, gives nothing");
        let ask = json!({ "id": "s1", "type": "approval", "name": "a", "message": "Go?", "schema": { "type": "boolean" } });
        assert_eq!(line(ask), "|Go?|asks for one value");
        let late = json!({ "id": "s1", "type": "approval", "name": "a", "message": "Go?", "expiresMs": 90000, "expired": [] });
        assert_eq!(line(late), "|Go?|takes any answer, within 1 min 30 s");
        let end = json!({ "id": "s1", "type": "end", "name": "e", "end": { "scope": "item", "status": "error", "message": "no {{ x }}" } });
        assert_eq!(line(end), "ends this item with an error|no {{ x }}|");
        let end =
            json!({ "id": "s1", "type": "end", "name": "e", "end": { "scope": "run", "message": " " } });
        assert_eq!(line(end), "ends|the run|");
    }

    #[test]
    fn of_a_long_text_a_card_shows_the_beginning() {
        let long = "many words\n".repeat(10_000);
        let ask = json!({ "id": "s1", "type": "approval", "name": "a", "message": long });
        let summary = face(ask).says.summary;
        assert!(summary.starts_with("many words many words "), "{summary}");
        assert!(summary.ends_with('…') && summary.len() <= SEEN + '…'.len_utf8(), "{summary}");
    }

    #[test]
    fn a_step_that_is_left_out_says_so() {
        let step = json!({ "id": "s1", "type": "function", "name": "f", "enabled": false, "run": { "code": "\n  return {};\n" } });
        let face = face(step);
        assert!(face.off);
        assert_eq!(face.says.summary, "return {};");
    }
}
