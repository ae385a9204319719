//! How long a failed attempt waits for the next one.

use crate::document::RetryPolicy;
use crate::error::Error;

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
