//! From what was seen to what it means. Pure: the same facts have the same causes.

use super::{Cause, Facts, Origin, Probe, Seen};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::model::Leave;

/// Most names that are offered in the place of an unknown one.
const OFFERED: usize = 4;

/// The cause, and behind it what else was found. Never empty.
pub fn diagnose(facts: &Facts) -> Vec<Cause> {
    let readable = [
        facts.of(Probe::Models),
        facts.of(Probe::Answer),
        &facts.bare,
        &facts.plain,
    ]
    .iter()
    .any(|seen| seen.is_readable());
    if !readable {
        return nothing_to_read(facts);
    }
    let corrected = facts.corrected.clone().map(Cause::WrongPath);
    let mut causes: Vec<Cause> = corrected.into_iter().collect();
    match trouble(facts) {
        Some(cause) => causes.push(cause),
        None => causes.extend(lesser(facts)),
    }
    if causes.is_empty() {
        causes.push(Cause::Fine);
    }
    causes
}

/// Nothing came that a page may read: down, closed to pages, or held up on the way.
fn nothing_to_read(facts: &Facts) -> Vec<Cause> {
    let is_guarded = facts.origin == Origin::Secure
        && facts.is_near
        && matches!(facts.leave, Leave::Open | Leave::Denied);
    let asked = [Probe::Models, Probe::Answer].map(|probe| facts.of(probe));
    match facts.of(Probe::Reach) {
        Seen::Nothing | Seen::Late if is_guarded => vec![Cause::LocalNetwork],
        Seen::Nothing => vec![Cause::Unreachable],
        Seen::Somebody if asked.contains(&&Seen::Nothing) => {
            let from_file = (facts.origin == Origin::None).then_some(Cause::NoOrigin);
            std::iter::once(Cause::NoCors).chain(from_file).collect()
        }
        _ => vec![Cause::Silent],
    }
}

/// What keeps the model from answering.
fn trouble(facts: &Facts) -> Option<Cause> {
    let streamed = *facts.of(Probe::Stream) == Seen::Streamed;
    match facts.of(Probe::Answer) {
        Seen::Answered => None,
        // Some models answer piece by piece only.
        Seen::Refused(_) if streamed => None,
        Seen::Refused(failure) => Some(refused(facts, failure)),
        Seen::Nothing => Some(Cause::Preflight(refused_headers(facts))),
        Seen::Late => Some(Cause::Silent),
        Seen::WebPage => Some(Cause::WebPage),
        // There was no model to ask for.
        Seen::Skipped => Some(match facts.of(Probe::Models) {
            Seen::Refused(failure) if failure.kind != FailureKind::NotFound => {
                refused(facts, failure)
            }
            Seen::WebPage => Cause::WebPage,
            _ => unknown_model(facts),
        }),
        _ => Some(Cause::NotAnAnswer),
    }
}

/// The headers with which the host lets no page in.
fn refused_headers(facts: &Facts) -> Vec<String> {
    let (key_header, own) = &facts.headers;
    let content_type = || vec!["Content-Type".to_owned()];
    if facts.plain.is_readable() {
        own.clone()
    } else if facts.of(Probe::Models).is_readable() {
        content_type()
    } else {
        key_header
            .clone()
            .map_or_else(content_type, |name| vec![name])
    }
}

fn refused(facts: &Facts, failure: &Failure) -> Cause {
    match failure.kind {
        FailureKind::Unauthorized | FailureKind::Forbidden if facts.headers.0.is_none() => {
            Cause::NoKey
        }
        FailureKind::Unauthorized => Cause::BadKey,
        FailureKind::Forbidden if failure.detail.to_ascii_lowercase().contains("origin") => {
            Cause::NoCors
        }
        FailureKind::Forbidden => Cause::KeyMayNot,
        FailureKind::Billing => Cause::NoCredit,
        FailureKind::RateLimited => Cause::RateLimited(failure.retry_after_ms),
        FailureKind::Server => Cause::ServerError(failure.status.unwrap_or(500)),
        FailureKind::BadEndpoint => Cause::WebPage,
        FailureKind::UnknownModel => unknown_model(facts),
        FailureKind::NotFound if facts.names.is_empty() => Cause::NoSuchAddress,
        // With its list there, the address is right.
        FailureKind::NotFound => unknown_model(facts),
        _ if facts.names.is_empty() || facts.names.contains(&facts.model) => Cause::Refused,
        _ => unknown_model(facts),
    }
}

fn unknown_model(facts: &Facts) -> Cause {
    Cause::UnknownModel(super::alike(&facts.model, &facts.names, OFFERED))
}

/// What is missing where the model answers.
fn lesser(facts: &Facts) -> Vec<Cause> {
    let stream = match facts.of(Probe::Stream) {
        Seen::Streamed | Seen::Skipped => None,
        Seen::Refused(failure) if passes(failure) => Some(refused(facts, failure)),
        _ => Some(Cause::NoStreaming),
    };
    let tools = match facts.of(Probe::Tools) {
        Seen::Called | Seen::Skipped => None,
        Seen::NotCalled => Some(Cause::ToolIgnored),
        Seen::Refused(failure) if passes(failure) => Some(refused(facts, failure)),
        Seen::Late => Some(Cause::Silent),
        _ => Some(Cause::NoTools),
    };
    let usage = (*facts.of(Probe::Usage) == Seen::NotCounted).then_some(Cause::NoUsage);
    let mut found: Vec<Cause> = [stream, tools, usage].into_iter().flatten().collect();
    // A model without tools can do least.
    if let Some(at) = found.iter().position(|cause| *cause == Cause::NoTools) {
        found[..=at].rotate_right(1);
    }
    found.dedup();
    found
}

/// Whether a refusal has nothing to do with what was asked for.
fn passes(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        FailureKind::RateLimited | FailureKind::Server | FailureKind::Billing
    )
}
