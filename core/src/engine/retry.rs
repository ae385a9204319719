//! How long a failed attempt waits for the next one.

use crate::document::RetryPolicy;
use crate::error::{Code, Error};

/// How long to wait before the next attempt, or nothing when this failure is final.
///
/// `chance` is a random number from 0 to 1 for the jitter.
pub(super) fn wait_ms(
    policy: &RetryPolicy,
    max_retries: u32,
    error: &Error,
    attempts: u32,
    chance: f64,
) -> Option<u64> {
    if !error.retryable || attempts > max_retries {
        return None;
    }
    let longest = policy.max_backoff_ms;
    // The wait that the endpoint sends is the minimum; a wait beyond the maximum is not worth making, and a wait of zero is no
    // reason to call again at once.
    if let Some(wait) = error.retry_after_ms.filter(|wait| *wait > 0) {
        return (wait <= longest).then_some(wait);
    }
    if policy.backoff_ms == 0 {
        return Some(0);
    }
    let exponent = i32::try_from(attempts.saturating_sub(1)).unwrap_or(i32::MAX);
    let grown = (policy.backoff_ms as f64 * policy.factor.powi(exponent)).min(longest as f64);
    Some((grown * (1.0 - policy.jitter * chance)).round() as u64)
}

/// The error of a step that is not tried again, after so many tries of which so many more may be made.
pub(super) fn given_up(error: Error, tries: u32, retries: u32, longest_ms: u64) -> Error {
    if !error.retryable {
        return error;
    }
    let error = too_far_away(error, longest_ms);
    let is_too_far = error.retry_after_ms.is_some_and(|wait| wait > longest_ms);
    let offer = match error.code {
        _ if tries > 1 => {
            let tried = format!("it was tried {tries} times");
            return error.with(|failure| failure.hint = joined(&tried, &failure.hint));
        }
        _ if is_too_far || retries > 0 || error.after_delta => return error,
        // What a function of the host says of its own failure stays its word.
        _ if !error.is_passing => return error,
        Code::RateLimit => "waits as long as the endpoint says",
        Code::Network => "tries again by itself",
        _ => return error,
    };
    error.with(|failure| failure.hint = joined(&failure.hint, &format!("a retryPolicy {offer}")))
}

/// Two hints as one; either may say nothing.
pub(super) fn joined(first: &str, second: &str) -> String {
    let between = if first.is_empty() || second.is_empty() { "" } else { "; " };
    format!("{first}{between}{second}")
}

/// The error, if it says to come back later than any retry does.
pub(super) fn too_far_away(error: Error, longest_ms: u64) -> Error {
    let Some(wait) = error.retry_after_ms.filter(|wait| *wait > longest_ms) else { return error };
    error.with_hint(format!(
        "it says to come back in {} s, and a retryPolicy waits for {} s at most: resume the run then, or raise maxBackoffMs",
        wait.div_ceil(1000),
        longest_ms.div_ceil(1000),
    ))
}
