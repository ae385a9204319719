//! The kinds of refusals: how each is recognised, and what to do about it.

use crate::error::Code;

/// A kind of refusal.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) code: Code,
    /// Statuses that mean it where no words say otherwise.
    statuses: &'static [u16],
    /// What stands in the endpoint's own words; separated by `|`, in lower case.
    pub(super) signs: &'static str,
    /// What the endpoint does, with `{}` for the model.
    pub(super) what: &'static str,
    pub(super) hint: &'static str,
    pub(super) outlook: Outlook,
}

/// Whether the same question may be answered later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    Never,
    Later,
}

use Outlook::{Later, Never};

/// The kind of a refusal with this status, or with none, and these words.
pub(super) fn kind(status: Option<u16>, signs: &str) -> &'static Kind {
    let by_words = KINDS
        .iter()
        .find(|kind| !kind.signs.is_empty() && kind.signs.split('|').any(|sign| signs.contains(sign)));
    let Some(status) = status else { return by_words.unwrap_or(&REPORTED) };
    let by_status = || KINDS.iter().find(|kind| kind.statuses.contains(&status));
    by_words.or_else(by_status).unwrap_or(match status {
        501 => &LACKS,
        408 | 409 | 500.. => &FAILED,
        _ => &REFUSED,
    })
}

/// Words come before statuses, and the rows before those below them: an exhausted quota is sent as `429` too, and a
/// prompt that is too long as a rate limit.
const KINDS: &[Kind] = &[
    Kind {
        code: Code::Model,
        statuses: &[],
        signs: "requires --jinja|require --jinja",
        what: "does not read templates of conversations, which tools need",
        hint: "start llama-server with --jinja",
        outlook: Never,
    },
    Kind {
        code: Code::Model,
        statuses: &[],
        signs: "mmproj",
        what: "takes no images with the model `{}`",
        hint: "start llama-server with --mmproj and the projector that belongs to the model, or take a model that sees",
        outlook: Never,
    },
    Kind {
        code: Code::Model,
        statuses: &[],
        signs: "requires --enable-auto-tool-choice|--tool-call-parser",
        what: "calls no tools as it was started",
        hint: "start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model",
        outlook: Never,
    },
    Kind {
        code: Code::Auth,
        statuses: &[],
        signs: "cors requests",
        what: "refuses calls from pages",
        hint: "the owner of the organisation has to allow calls from browsers at the provider; or call through a relay of your own, as the model's baseUrl",
        outlook: Never,
    },
    Kind {
        code: Code::Model,
        statuses: &[],
        signs: "content_filter|content management policy|responsibleai|content_policy|content filtering|content_violation|data_inspection_failed|prohibited_content|requires moderation",
        what: "held the question back by its content filter",
        hint: "change the instructions or the input",
        outlook: Never,
    },
    Kind {
        code: Code::Limit,
        statuses: &[413],
        signs: "context_length|context length|exceed_context|context window|context size|prompt is too long|maximum prompt length|input token count|token limit reached|tokens_limit_reached|string_above_max_length|request too large|request_too_large",
        what: "cannot take so much at once with the model `{}`",
        hint: "shorten the input, the instructions or the history, or use a model with a larger context",
        outlook: Never,
    },
    Kind {
        code: Code::RateLimit,
        statuses: &[402],
        signs: "insufficient_quota|exceeded_current_quota|credit balance|credit_balance|insufficient balance|insufficient credits|spend_limit|usage_limit_exceeded|billing_error|billing_not_active|billing_hard_limit|daily free allocation|free-models-per-day|perday",
        what: "takes no more calls: the quota or the credit of the account is used up",
        hint: "look at the account's balance, plan and limits at the provider, or use another model",
        outlook: Never,
    },
    Kind {
        code: Code::Auth,
        statuses: &[401],
        signs: "invalid_api_key|api_key_invalid|api key not valid|incorrect api key|invalid x-api-key|authentication_error|invalid_authentication",
        what: "does not accept the key",
        hint: "check the key, and that it belongs to this endpoint",
        outlook: Never,
    },
    Kind {
        code: Code::Auth,
        statuses: &[403],
        signs: "permission_error|permission_denied|location is not supported|unsupported_country",
        what: "refuses access",
        hint: "the key may not use this model, or the endpoint does not allow this page's origin",
        outlook: Never,
    },
    Kind {
        code: Code::Model,
        statuses: &[404],
        signs: "model_not_found|model_decommissioned|model not exist|invalid_model|not a valid model|unknown_model|no models loaded|deploymentnotfound",
        what: "does not know the model `{}` or the address",
        hint: "check the model's name and the base URL, which usually ends with /v1",
        outlook: Never,
    },
    Kind {
        code: Code::Model,
        statuses: &[503, 529],
        signs: "overloaded|slow_down|capacity_exhausted",
        what: "is overloaded or not ready yet",
        hint: "try again later, or let a fallback model answer",
        outlook: Later,
    },
    Kind {
        code: Code::RateLimit,
        statuses: &[429],
        signs: "rate_limit|rate limit|resource_exhausted|too many requests",
        what: "asks to come back later",
        hint: "send less at once, or raise the limit at the endpoint",
        outlook: Later,
    },
];

/// It lacks what the request needs, and will the next time.
const LACKS: Kind = Kind {
    code: Code::Model,
    statuses: &[],
    signs: "",
    what: "cannot do this",
    hint: "its own words say what it lacks; leave that out of the request, or start the server with it",
    outlook: Never,
};

/// It failed, and may not the next time.
const FAILED: Kind = Kind {
    code: Code::Model,
    statuses: &[],
    signs: "",
    what: "failed",
    hint: "try again, or look at the endpoint's log or status page",
    outlook: Later,
};

/// It does not take the request.
pub(super) const REFUSED: Kind = Kind {
    code: Code::Model,
    statuses: &[],
    signs: "",
    what: "refuses the request",
    hint: "its own words say what it does not accept; check the model's params",
    outlook: Never,
};

/// It reported an error while it answered, but not which.
const REPORTED: Kind = Kind {
    code: Code::Model,
    statuses: &[],
    signs: "",
    what: "reports an error",
    hint: "try again; the text so far is in the step's result",
    outlook: Later,
};
