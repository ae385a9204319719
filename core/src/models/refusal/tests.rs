//! A row for each refusal, with the bodies that endpoints send.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

use serde_json::{Map, Value, json};

use super::{Clock, Endpoint, Refused, error, reported_in_stream};
use crate::error::{Code, Error};

fn endpoint() -> Endpoint {
    Endpoint { url: "https://llm.test/v1/chat/completions".to_owned(), model: "m".to_owned() }
}

/// The clock stands at this time, in milliseconds since 1970.
const NOW: f64 = 1_790_000_000_000.0;

fn refused(status: u16, headers: &[(&str, &str)], body: &str) -> Error {
    let headers: Map<String, Value> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let time_of = |text: &str| match text {
        "Mon, 21 Sep 2026 13:33:25 GMT" | "2026-09-21T13:33:25Z" => Some(NOW + 5000.0),
        "Mon, 21 Sep 2026 13:00:00 GMT" => Some(NOW - 1_000_000.0),
        _ => None,
    };
    let refused = Refused { status, headers: &headers, body, hint: "" };
    error(&endpoint(), &refused, &Clock { now: NOW, time_of: &time_of })
}

#[track_caller]
fn is(error: &Error, code: Code, retryable: bool, message: &str) {
    assert_eq!(error.message, format!("https://llm.test {message}"));
    assert_eq!((error.code, error.retryable), (code, retryable), "{message}");
    assert!(!error.hint.is_empty());
}

#[test]
fn a_wrong_key_is_reported_in_the_words_of_each_provider() {
    let bodies = [
        (
            401,
            r#"{"error":{"message":"Incorrect API key provided: none. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            "Incorrect API key provided: none. You can find your API key at https://platform.openai.com/account/api-keys.",
        ),
        (
            401,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}"#,
            "invalid x-api-key",
        ),
        // Gemini says 400, and so does xAI.
        (
            400,
            r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com","metadata":{"service":"generativelanguage.googleapis.com"}}]}}"#,
            "API key not valid. Please pass a valid API key.",
        ),
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: no***ne."}"#,
            "Incorrect API key provided: no***ne.",
        ),
        (
            401,
            r#"{"error":{"message":"No cookie auth credentials found","code":401}}"#,
            "No cookie auth credentials found",
        ),
        (401, r#"{"message":"Unauthorized","request_id":"1"}"#, "Unauthorized"),
        (401, r#"{"detail":"Unauthorized"}"#, "Unauthorized"),
        (
            401,
            r#"{"statusCode":401,"message":"Access denied due to invalid subscription key or wrong API endpoint."}"#,
            "Access denied due to invalid subscription key or wrong API endpoint.",
        ),
        (
            401,
            r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#,
            "Invalid API Key",
        ),
        (
            401,
            r#"{"result":null,"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[]}"#,
            "Authentication error",
        ),
    ];
    for (status, body, words) in bodies {
        is(
            &refused(status, &[], body),
            Code::Auth,
            false,
            &format!("does not accept the key (status {status}): {words}"),
        );
    }
}

#[test]
fn calls_from_pages_that_an_organisation_does_not_allow_are_reported_as_such() {
    let body = r#"{"type":"error","error":{"type":"authentication_error","message":"CORS requests are not allowed for this Organization because of its custom data retention settings."}}"#;
    let error = refused(401, &[], body);
    assert_eq!(error.code, Code::Auth);
    assert!(
        error
            .message
            .starts_with("https://llm.test refuses calls from pages (status 401): CORS requests are not")
    );
    assert!(error.hint.contains("owner of the organisation"), "{}", error.hint);
}

#[test]
fn refused_access_is_reported() {
    let body = r#"{"error":{"code":403,"message":"Permission denied on resource project x.","status":"PERMISSION_DENIED"}}"#;
    is(
        &refused(403, &[], body),
        Code::Auth,
        false,
        "refuses access (status 403): Permission denied on resource project x.",
    );
    let body = r#"{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#;
    is(
        &refused(400, &[], body),
        Code::Auth,
        false,
        "refuses access (status 400): User location is not supported for the API use.",
    );
    is(&refused(403, &[], ""), Code::Auth, false, "refuses access (status 403)");
}

#[test]
fn what_is_known_of_a_refused_key_or_access_is_its_hint() {
    let refused = |status| {
        let refused =
            Refused { status, headers: &Map::new(), body: "", hint: "start it with OLLAMA_ORIGINS" };
        error(&endpoint(), &refused, &Clock { now: NOW, time_of: &|_| None })
    };
    assert_eq!(refused(403).hint, "start it with OLLAMA_ORIGINS");
    assert_eq!(refused(401).hint, "start it with OLLAMA_ORIGINS");
    assert_eq!(
        refused(404).hint,
        "check the model's name and the base URL, which usually ends with /v1",
        "it is no matter of keys or access"
    );
}

#[test]
fn an_unknown_model_is_reported() {
    let bodies = [
        (
            404,
            r#"{"error":{"message":"The model `m` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
            "The model `m` does not exist or you do not have access to it.",
        ),
        (
            404,
            r#"{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error","param":null,"code":null}}"#,
            "model \"m\" not found, try pulling it first",
        ),
        (404, r#"{"error":"model 'm' not found"}"#, "model 'm' not found"),
        (
            404,
            r#"{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","param":null,"code":404}"#,
            "The model `m` does not exist.",
        ),
        (404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#, "model: m"),
        (
            404,
            r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
            "The API deployment for this resource does not exist.",
        ),
        (404, r#"{"detail":"Not Found"}"#, "Not Found"),
        (
            400,
            r#"{"error":{"message":"m is not a valid model ID","code":400},"user_id":"u"}"#,
            "m is not a valid model ID",
        ),
        (
            400,
            r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
            "Model Not Exist",
        ),
        (
            400,
            r#"{"error":{"message":"The model `m` has been decommissioned.","type":"invalid_request_error","code":"model_decommissioned"}}"#,
            "The model `m` has been decommissioned.",
        ),
        (
            400,
            r#"{"object":"error","message":"Invalid model: m","type":"invalid_model","param":null,"code":"1500"}"#,
            "Invalid model: m",
        ),
    ];
    for (status, body, words) in bodies {
        is(
            &refused(status, &[], body),
            Code::Model,
            false,
            &format!("does not know the model `m` or the address (status {status}): {words}"),
        );
    }
}

#[test]
fn a_refused_request_is_reported_in_the_endpoints_own_words() {
    let bodies = [
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":null}}"#,
            "Unsupported parameter: 'temperature' is not supported with this model.",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"temperature: Extra inputs are not permitted"},"request_id":"req_1"}"#,
            "temperature: Extra inputs are not permitted",
        ),
        // Gemini may send its error as a list.
        (
            400,
            r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"x\"","status":"INVALID_ARGUMENT"}}]"#,
            "Invalid JSON payload received. Unknown name \"x\"",
        ),
        (
            422,
            r#"{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required","input":{}},{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}"#,
            "Field required; Extra inputs are not permitted",
        ),
        (
            422,
            r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted","input":1}]},"type":"invalid_request_error","param":null,"code":null}"#,
            "Extra inputs are not permitted",
        ),
        (
            400,
            r#"{"errors":[{"message":"AiError: Bad input: Error: oneOf at '/' not met","code":5006}],"success":false,"result":{},"messages":[]}"#,
            "AiError: Bad input: Error: oneOf at '/' not met",
        ),
        (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"tools are not supported\"}}","provider_name":"Acme"}},"user_id":"u"}"#,
            "Provider returned error (Acme: tools are not supported)",
        ),
        (
            400,
            r#"{"error":"registry.test/m does not support tools"}"#,
            "registry.test/m does not support tools",
        ),
        (400, "only text\n  on two lines", "only text on two lines"),
    ];
    for (status, body, words) in bodies {
        is(
            &refused(status, &[], body),
            Code::Model,
            false,
            &format!("refuses the request (status {status}): {words}"),
        );
    }
    // Long words are cut, a page of HTML says nothing.
    assert!(refused(400, &[], &"x".repeat(900)).message.ends_with(&format!("{}…", "x".repeat(300))));
    is(&refused(400, &[], "<!doctype html><p>no"), Code::Model, false, "refuses the request (status 400)");
    is(&refused(405, &[], "{}"), Code::Model, false, "refuses the request (status 405)");
}

#[test]
fn too_long_a_question_is_a_limit() {
    let bodies = [
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}"#,
        ),
        // These say that it would never fit into their limits for a minute.
        (
            413,
            r#"{"error":{"message":"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        ),
        (
            429,
            r#"{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#,
        ),
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 3000 tokens.","type":"BadRequestError","param":null,"code":400}"#,
        ),
        (413, "<html><h1>413 Request Entity Too Large</h1></html>"),
    ];
    for (status, body) in bodies {
        let error = refused(status, &[("retry-after", "3")], body);
        assert_eq!((error.code, error.retryable, error.retry_after_ms), (Code::Limit, false, None), "{body}");
        assert!(
            error.message.starts_with(&format!(
                "https://llm.test cannot take so much at once with the model `m` (status {status})"
            )),
            "{}",
            error.message
        );
    }
}

#[test]
fn a_used_up_account_is_not_called_again() {
    let bodies = [
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"project_spend_limit_exceeded"}}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},"request_id":"req_1"}"#,
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#,
        ),
        (
            402,
            r#"{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402,"metadata":{"provider_name":null}}}"#,
        ),
        (
            429,
            r#"{"error":{"message":"Your account is suspended due to insufficient balance, please recharge your account","type":"exceeded_current_quota_error"}}"#,
        ),
        (
            429,
            r#"{"errors":[{"message":"AiError: you have used up your daily free allocation of 10,000 neurons, please upgrade to Cloudflare's Workers Paid plan","code":4006}],"success":false}"#,
        ),
        // What is used up for the day does not come back in half a minute, whatever Gemini says.
        (
            429,
            r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"42s"}]}}"#,
        ),
        (
            429,
            r#"{"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1790000060000"},"provider_name":null}},"user_id":"u"}"#,
        ),
    ];
    for (status, body) in bodies {
        let error = refused(status, &[], body);
        assert_eq!(
            (error.code, error.retryable, error.retry_after_ms),
            (Code::RateLimit, false, None),
            "{body}"
        );
        assert!(error.message.starts_with(&format!("https://llm.test takes no more calls: the quota or the credit of the account is used up (status {status}): ")), "{}", error.message);
    }
}

#[test]
fn a_filtered_question_is_reported_as_such() {
    let bodies = [
        (
            400,
            r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"violence":{"filtered":true,"severity":"medium"}}}}}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#,
        ),
        (
            403,
            r#"{"error":{"message":"m requires moderation on Acme. Your input was flagged for \"violence\".","code":403,"metadata":{"reasons":["violence"],"flagged_input":"…","provider_name":"Acme"}}}"#,
        ),
    ];
    for (status, body) in bodies {
        let error = refused(status, &[], body);
        assert_eq!((error.code, error.retryable), (Code::Model, false), "{body}");
        assert!(error.message.starts_with(&format!(
            "https://llm.test held the question back by its content filter (status {status}): "
        )));
    }
}

#[test]
fn an_overloaded_endpoint_is_worth_another_attempt() {
    let bodies = [
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
            ": Overloaded",
        ),
        (
            503,
            r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#,
            ": The model is overloaded. Please try again later.",
        ),
        (
            503,
            r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
            ": Loading model",
        ),
        (503, "<html><h1>503 Service Temporarily Unavailable</h1></html>", ""),
    ];
    for (status, body, words) in bodies {
        is(
            &refused(status, &[], body),
            Code::Model,
            true,
            &format!("is overloaded or not ready yet (status {status}){words}"),
        );
    }
}

#[test]
fn failures_of_the_endpoint_are_worth_another_attempt() {
    let bodies = [
        (
            500,
            r#"{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}"#,
            ": The server had an error while processing your request.",
        ),
        (
            500,
            r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
            ": Internal server error",
        ),
        (500, "Internal Server Error", ": Internal Server Error"),
        (502, "<html><head><title>502 Bad Gateway</title></head></html>", ""),
        (524, "<!DOCTYPE html><title>A timeout occurred</title>", ""),
        (408, "", ""),
        (409, r#"{"message":"conflict"}"#, ": conflict"),
    ];
    for (status, body, words) in bodies {
        is(&refused(status, &[], body), Code::Model, true, &format!("failed (status {status}){words}"));
    }
}

#[test]
fn the_endpoint_may_say_itself_whether_to_try_again() {
    assert!(refused(400, &[("x-should-retry", "true")], "{}").retryable);
    assert!(!refused(500, &[("x-should-retry", "false")], "{}").retryable);
}

/// The headers and the body of a refusal, and how long they say to wait.
type Told = (&'static [(&'static str, &'static str)], &'static str, Option<u64>);

const LIMITED: &str = r#"{"error":{"message":"Rate limit reached for m in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1.","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#;

#[test]
fn a_rate_limit_says_when_to_come_back() {
    let rows: [Told; 29] = [
        (&[], LIMITED, None),
        (&[("retry-after-ms", "1500"), ("retry-after", "9")], LIMITED, Some(1500)),
        (&[("retry-after", "3")], LIMITED, Some(3000)),
        (&[("retry-after", " 0.5 ")], LIMITED, Some(500)),
        (&[("retry-after-ms", "0"), ("retry-after", "9")], LIMITED, Some(9000)),
        (&[("retry-after-ms", "-5"), ("retry-after", "9")], LIMITED, Some(9000)),
        (&[("retry-after-ms", "soon"), ("retry-after", "9")], LIMITED, Some(9000)),
        (&[("retry-after-ms", "0")], LIMITED, None),
        (&[("retry-after", "0")], LIMITED, None),
        (&[("retry-after", "-1")], LIMITED, None),
        (&[("retry-after", "-0.0")], LIMITED, None),
        (&[("retry-after", "inf")], LIMITED, None),
        (&[("retry-after", "nan")], LIMITED, None),
        (&[("retry-after", "soon")], LIMITED, None),
        (&[("retry-after", "99999999999999999999")], LIMITED, Some(1_000_000_000_000)),
        (&[("retry-after", "9999999999")], LIMITED, Some(1_000_000_000_000)),
        (&[("retry-after-ms", "1e15"), ("retry-after", "9")], LIMITED, Some(1_000_000_000_000)),
        (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1e18")], LIMITED, None),
        (&[("retry-after", "Mon, 21 Sep 2026 13:33:25 GMT")], LIMITED, Some(5000)),
        (&[("retry-after", "Mon, 21 Sep 2026 13:00:00 GMT")], LIMITED, None),
        (
            &[("retry-after", "0")],
            "{\"error\": {\"message\": \"slow down, try again in 7s\", \"code\": \"rate_limit_exceeded\"}}",
            Some(7000),
        ),
        (
            &[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "6m0s"),
                ("x-ratelimit-remaining-tokens", "12"),
                ("x-ratelimit-reset-tokens", "7h"),
            ],
            LIMITED,
            Some(360_000),
        ),
        (
            &[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "26ms"),
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-tokens", "17.399999999s"),
            ],
            LIMITED,
            Some(17_400),
        ),
        (
            &[
                ("anthropic-ratelimit-tokens-remaining", "0"),
                ("anthropic-ratelimit-tokens-reset", "2026-09-21T13:33:25Z"),
            ],
            LIMITED,
            Some(5000),
        ),
        (&[("x-ratelimit-remaining-requests", "7"), ("x-ratelimit-reset-requests", "1s")], LIMITED, None),
        // In a page the headers are hidden, and the words have to do.
        (
            &[],
            r#"{"error":{"message":"Rate limit reached for m. Please try again in 1.356s. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"tokens","code":"rate_limit_exceeded"}}"#,
            Some(1356),
        ),
        (
            &[],
            r#"{"error":{"message":"Requests have exceeded call rate limit of your current pricing tier. Please retry after 20 seconds.","code":"429"}}"#,
            Some(20_000),
        ),
        (
            &[],
            r#"{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 34.4s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}}"#,
            Some(34_400),
        ),
        (
            &[],
            r#"{"error":{"message":"Rate limit exceeded: limit_rpm/m. Please retry shortly.","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"8","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1790000060000"},"provider_name":null}}}"#,
            Some(60_000),
        ),
    ];
    for (headers, body, wait) in rows {
        let error = refused(429, headers, body);
        assert!(
            error.message.starts_with("https://llm.test asks to come back later (status 429): "),
            "{}",
            error.message
        );
        assert_eq!(
            (error.code, error.retryable, error.retry_after_ms),
            (Code::RateLimit, true, wait),
            "{headers:?} {body}"
        );
    }
    let hint = refused(429, &[("retry-after-ms", "1500")], LIMITED).hint.clone();
    assert_eq!(hint, "come back in 2 s, or send less at once, or raise the limit at the endpoint");
}

#[test]
fn other_rate_limits_are_known_by_their_status() {
    for body in [
        r#"{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}"#,
        r#"{"message":"Requests rate limit exceeded"}"#,
        r#"[{"error":{"code":429,"message":"Resource exhausted. Please try again later.","status":"RESOURCE_EXHAUSTED"}}]"#,
        r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"m is temporarily rate-limited upstream. Please retry shortly.","provider_name":"Acme"}}}"#,
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account's rate limit. Please try again later."}}"#,
    ] {
        let error = refused(429, &[], body);
        assert_eq!((error.code, error.retryable), (Code::RateLimit, true), "{body}");
    }
}

#[test]
fn an_error_in_the_middle_of_an_answer_is_of_the_same_kinds() {
    let reported = |json: Value| reported_in_stream(&endpoint(), &json);
    let overloaded =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    is(
        &reported(overloaded),
        Code::Model,
        true,
        "is overloaded or not ready yet (in its answer): Overloaded",
    );
    let limited = json!({ "type": "tokens", "code": "rate_limit_exceeded", "message": "Rate limit reached. Please try again in 6s.", "param": null });
    let error = reported(limited);
    is(
        &error,
        Code::RateLimit,
        true,
        "asks to come back later (in its answer): Rate limit reached. Please try again in 6s.",
    );
    assert_eq!(error.retry_after_ms, Some(6000));
    let limited = json!({ "message": "Rate limit exceeded", "code": 429, "metadata": { "headers": { "X-RateLimit-Reset": "1790000060000" } } });
    assert_eq!(reported(limited).retry_after_ms, None, "there is no clock here");
    let quota = json!({ "type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota." });
    assert_eq!((reported(quota.clone()).code, reported(quota).retryable), (Code::RateLimit, false));
    let broken = json!({ "code": 502, "message": "Upstream error" });
    is(&reported(broken), Code::Model, true, "failed (in its answer): Upstream error");
    let full = json!({ "code": 400, "message": "Token limit reached" });
    is(
        &reported(full),
        Code::Limit,
        false,
        "cannot take so much at once with the model `m` (in its answer): Token limit reached",
    );
    let failed = json!({ "message": "Tool call validation failed", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "", "status_code": 400 });
    is(
        &reported(failed),
        Code::Model,
        false,
        "refuses the request (in its answer): Tool call validation failed",
    );
    is(
        &reported(json!({ "message": "it broke" })),
        Code::Model,
        true,
        "reports an error (in its answer): it broke",
    );
    is(&reported(json!("it broke")), Code::Model, true, "reports an error (in its answer): it broke");
    is(&reported(json!({ "a": 1 })), Code::Model, true, "reports an error (in its answer): {\"a\":1}");
    is(&reported(json!({})), Code::Model, true, "reports an error (in its answer)");
}

#[test]
fn endless_bodies_do_no_harm() {
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    is(&refused(400, &[], &deep), Code::Model, false, &format!("refuses the request (status 400): {deep}"));
}

#[test]
fn a_model_that_is_a_function_goes_by_its_name() {
    let endpoint = Endpoint { url: String::new(), model: "@own/parrot".to_owned() };
    assert_eq!(endpoint.silent(50, "idleMs").message, "@own/parrot sent nothing for 50 ms");
    assert_eq!(endpoint.refused("").message, "the model @own/parrot refuses to answer");
    assert_eq!(endpoint.refused("no").message, "the model @own/parrot refuses to answer: no");
    assert_eq!(self::endpoint().refused("no").message, "the model at https://llm.test refuses to answer: no");
}

/// Refusals of real endpoints, and whether they may be about the form that was demanded of an answer.
const OF_FORM: &[(u16, &str, bool)] = &[
    // OpenAI, and what speaks its language.
    (400, r#"{"error":{"message":"unknown field response_format","type":"invalid_request_error"}}"#, true),
    (
        400,
        r#"{"error":{"message":"Invalid schema for response_format 'answer'","param":"text.format.schema"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","type":"invalid_request_error","param":"","code":null}}"#,
        true,
    ),
    (422, r#"{"detail":[{"loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}"#, true),
    (400, r#"{"detail":"Unsupported parameter: response_format"}"#, true),
    // Azure.
    (
        400,
        r#"{"error":{"code":"BadRequest","message":"response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later"}}"#,
        true,
    ),
    // DeepSeek.
    (
        400,
        r#"{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        true,
    ),
    (
        422,
        "Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is unavailable now at line 1 column 1193",
        true,
    ),
    // Groq.
    (
        400,
        r#"{"error":{"message":"The model only supports response formats: [json text]","type":"invalid_request_error"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"message":"invalid schema for response format: response_format/json_schema/next_step: minItems is not supported","type":"invalid_request_error"}}"#,
        true,
    ),
    (400, r#"{"error":{"message":"Failed to generate JSON","code":"json_validate_failed"}}"#, true),
    // LM Studio, llama.cpp, Ollama.
    (400, r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#, true),
    (
        400,
        r#"{"error":{"code":400,"message":"Failed to initialize samplers: failed to parse grammar","type":"invalid_request_error"}}"#,
        true,
    ),
    (500, r#"{"error":{"code":500,"message":"failed to parse grammar","type":"server_error"}}"#, true),
    (500, r#"{"error":"invalid JSON schema in format"}"#, true),
    (
        500,
        r#"{"error":{"message":"failed to load model vocabulary required for format","type":"api_error","param":null,"code":null}}"#,
        true,
    ),
    // Together, Fireworks.
    (
        400,
        r#"{"id":"n1","error":{"message":"Input validation error: grammar is not valid: Grammar must have a 'properties' field","type":"invalid_request_error","param":null,"code":null}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"message":"Invalid JSON data: missing field `json_schema`","type":"invalid_request_error"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"type":"invalid_request_error","message":"JSON Schema not supported: could not understand the instance `{'required': ['a']}`."},"type":"error"}"#,
        true,
    ),
    // Gemini, and the same at Vertex AI.
    (
        400,
        r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"responseSchema\"","status":"INVALID_ARGUMENT"}}]"#,
        true,
    ),
    (
        400,
        r#"{"error":{"code":400,"message":"Request contains an invalid argument.","status":"INVALID_ARGUMENT"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"code":400,"message":"The specified schema produces a constraint that has too many states for serving.","status":"INVALID_ARGUMENT"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"code":400,"message":"Function calling with a response mime type: 'application/json' is unsupported","status":"INVALID_ARGUMENT"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"code":400,"message":"Unable to submit request because controlled generation is not supported with Code Execution tool.","status":"INVALID_ARGUMENT"}}"#,
        true,
    ),
    // Anthropic, and the same at Bedrock.
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"The compiled grammar is too large, which would cause performance issues."},"request_id":"r"}"#,
        true,
    ),
    (
        400,
        r#"{"message":"The model returned the following errors: output_config.format: Extra inputs are not permitted"}"#,
        true,
    ),
    // MiniMax, Zhipu and Workers AI do not say what it is.
    (400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"invalid params"}}"#, true),
    (
        400,
        r#"{"error":{"code":"1210","message":"Invalid API parameter, please check the documentation."}}"#,
        true,
    ),
    (400, r#"{"error":{"code":"1210","message":"API 调用参数有误，请检查文档。"},"request_id":"r"}"#, true),
    (400, r#"{"errors":[{"message":"AiError: Bad input: Error: oneOf at '/' not met","code":5006}]}"#, true),
    // Nor do gateways.
    (400, r#"{"error":{"message":"Provider returned error","code":400}}"#, true),
    (
        400,
        r#"{"error":{"message":"Error from provider (Console Go): Upstream request failed","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"message":"Upstream error: 400","type":"invalid_request_error","param":"","code":null}}"#,
        true,
    ),
    (
        400,
        r#"{"error":{"message":"Request failed with status code 400","type":"invalid_request_error","code":"invalid_request_error"}}"#,
        true,
    ),
    (
        404,
        r#"{"error":{"message":"No endpoints found that can handle the requested parameters.","code":404}}"#,
        true,
    ),
    (400, r#"{"error":{"message":"This model does not support structured outputs"}}"#, true),
    (400, "Bad Request", true),
    (400, "", true),
    (422, "<!doctype html><p>no", true),
    // These are about something else: a setting, …
    (
        400,
        r#"{"error":{"message":"Unsupported parameter: 'temperature'","type":"invalid_request_error","code":"unsupported_parameter"}}"#,
        false,
    ),
    (
        400,
        r#"{"error":{"message":"max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens"}}"#,
        false,
    ),
    (
        400,
        r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"x\"","status":"INVALID_ARGUMENT"}}]"#,
        false,
    ),
    (400, r#"{"error":{"message":"at least one message is required"}}"#, false),
    (
        400,
        r#"{"type":"error","error":{"type":"bad_request_error","message":"invalid params, chat content has invalid message role: system (2013)","http_code":"400"}}"#,
        false,
    ),
    (
        422,
        r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":32000}]},"type":"invalid_request_error","param":null,"code":null}"#,
        false,
    ),
    // … tools, …
    (
        400,
        r#"{"error":{"code":400,"message":"Tool use with function calling is unsupported","status":"INVALID_ARGUMENT"}}"#,
        false,
    ),
    (
        404,
        r#"{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}"#,
        false,
    ),
    // … the length, whatever else they name, …
    (
        400,
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens, with the schema.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        false,
    ),
    (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        false,
    ),
    // … the key, …
    (
        400,
        r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
        false,
    ),
    (401, r#"{"error":{"message":"Invalid request: no key","type":"invalid_request_error"}}"#, false),
    // … the model, …
    (
        400,
        r#"{"error":{"message":"The model `m` has been decommissioned.","type":"invalid_request_error","code":"model_decommissioned"}}"#,
        false,
    ),
    (404, r#"{"error":{"message":"No endpoints found for acme/m:free.","code":404}}"#, false),
    (
        404,
        r#"{"error":{"message":"No endpoints available matching your guardrail restrictions and data policy.","code":404}}"#,
        false,
    ),
    // … what was said, …
    (
        400,
        r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        false,
    ),
    // … or what may go well the next time.
    (500, r#"{"error":{"message":"","type":"InternalServerError","param":null,"code":500}}"#, false),
    (500, r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#, false),
    (
        500,
        r#"{"error":{"message":"It failed; see https://help.test for more information","code":500}}"#,
        false,
    ),
    (500, "", false),
    (502, r#"{"error":{"message":"Upstream request failed","type":"upstream_error"}}"#, false),
    (503, r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#, false),
    (
        429,
        r#"{"error":{"message":"Rate limit reached for requests with response_format json_schema","code":"rate_limit_exceeded"}}"#,
        false,
    ),
];

#[test]
fn only_what_may_be_about_the_form_of_an_answer_is_taken_so() {
    for (status, body, expected) in OF_FORM {
        assert_eq!(refused(*status, &[], body).details.may_be_form, *expected, "{status} {body}");
    }
}
