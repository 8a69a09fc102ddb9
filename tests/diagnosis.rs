//! The doctor's judgement: the same facts have the same causes.
#![cfg(not(target_arch = "wasm32"))]

use tabloop::kernel::doctor::{Cause, Facts, Origin, Probe, Seen, diagnose};
use tabloop::kernel::event::{Failure, FailureKind};
use tabloop::kernel::model::Leave;

/// An endpoint that is well.
fn well() -> Facts {
    Facts {
        origin: Origin::Secure,
        is_near: false,
        leave: Leave::Unknown,
        seen: [
            Seen::Somebody,
            Seen::Models(2),
            Seen::Answered,
            Seen::Streamed,
            Seen::Called,
            Seen::Counted,
        ],
        bare: Seen::Skipped,
        plain: Seen::Skipped,
        headers: (Some("Authorization".into()), Vec::new()),
        corrected: None,
        model: "small-1".into(),
        names: vec!["small-1".into(), "large-1".into()],
    }
}

/// One that answers nothing beyond what `seen` says.
fn only(seen: &[Seen]) -> Facts {
    let mut facts = well();
    facts.seen = Default::default();
    facts.names = Vec::new();
    facts.seen[..seen.len()].clone_from_slice(seen);
    facts
}

fn refused(kind: FailureKind, status: u16, detail: &str) -> Seen {
    Seen::Refused(Failure {
        status: Some(status),
        ..Failure::new(kind, detail)
    })
}

#[test]
fn each_set_of_facts_has_its_cause() {
    use FailureKind::*;
    let near = |leave, reach| Facts {
        is_near: true,
        leave,
        ..only(&[reach])
    };
    let answering = |seen| Facts {
        names: well().names,
        ..only(&[Seen::Somebody, Seen::Models(2), seen])
    };
    let lacking = |probe: Probe, seen| {
        let mut facts = well();
        facts.seen[probe as usize] = seen;
        facts
    };
    let closed = || only(&[Seen::Somebody, Seen::Nothing, Seen::Nothing]);
    let cases: Vec<(&str, Facts, Vec<Cause>)> = vec![
        ("well", well(), vec![Cause::Fine]),
        ("down", only(&[Seen::Nothing]), vec![Cause::Unreachable]),
        ("hanging", only(&[Seen::Late]), vec![Cause::Silent]),
        (
            "hanging behind an open door",
            only(&[Seen::Somebody, Seen::Late, Seen::Late]),
            vec![Cause::Silent],
        ),
        (
            "near, and the browser still asks",
            near(Leave::Open, Seen::Late),
            vec![Cause::LocalNetwork],
        ),
        (
            "near, and denied",
            near(Leave::Denied, Seen::Nothing),
            vec![Cause::LocalNetwork],
        ),
        (
            "near, allowed and down",
            near(Leave::Given, Seen::Nothing),
            vec![Cause::Unreachable],
        ),
        (
            "near a page that is near itself",
            Facts {
                origin: Origin::Plain,
                ..near(Leave::Open, Seen::Nothing)
            },
            vec![Cause::Unreachable],
        ),
        ("closed to pages", closed(), vec![Cause::NoCors]),
        (
            "closed to a page without an origin",
            Facts {
                origin: Origin::None,
                ..closed()
            },
            vec![Cause::NoCors, Cause::NoOrigin],
        ),
        (
            "closed to the key's header",
            Facts {
                bare: refused(Unauthorized, 401, ""),
                ..closed()
            },
            vec![Cause::Preflight(vec!["Authorization".into()])],
        ),
        (
            "closed to JSON",
            answering(Seen::Nothing),
            vec![Cause::Preflight(vec!["Content-Type".into()])],
        ),
        (
            "closed to a header of the user's own",
            Facts {
                plain: Seen::Answered,
                headers: (None, vec!["X-Title".into()]),
                ..closed()
            },
            vec![Cause::Preflight(vec!["X-Title".into()])],
        ),
        (
            "a key that is wrong",
            answering(refused(Unauthorized, 401, "Incorrect API key")),
            vec![Cause::BadKey],
        ),
        (
            "a key that is missing",
            Facts {
                headers: (None, Vec::new()),
                ..answering(refused(Unauthorized, 401, ""))
            },
            vec![Cause::NoKey],
        ),
        (
            "a key that may not",
            answering(refused(Forbidden, 403, "No access to this model")),
            vec![Cause::KeyMayNot],
        ),
        (
            "an origin that may not, told aloud",
            answering(refused(Forbidden, 403, "Origin not allowed")),
            vec![Cause::NoCors],
        ),
        (
            "no credit",
            answering(refused(Billing, 429, "insufficient_quota")),
            vec![Cause::NoCredit],
        ),
        (
            "an unknown model",
            Facts {
                model: "smal-1".into(),
                ..answering(refused(NotFound, 404, "no such thing"))
            },
            vec![Cause::UnknownModel(vec!["small-1".into()])],
        ),
        (
            "an unknown model, by a 400 and a list without it",
            Facts {
                model: "large".into(),
                ..answering(refused(BadRequest, 400, "bad request"))
            },
            vec![Cause::UnknownModel(vec!["large-1".into()])],
        ),
        (
            "an unknown model without a list",
            only(&[
                Seen::Somebody,
                refused(NotFound, 404, ""),
                refused(UnknownModel, 404, "model \"x\" not found"),
            ]),
            vec![Cause::UnknownModel(vec![])],
        ),
        (
            "no model at all",
            Facts {
                model: String::new(),
                ..answering(Seen::Skipped)
            },
            vec![Cause::UnknownModel(vec![
                "small-1".into(),
                "large-1".into(),
            ])],
        ),
        (
            "nothing at the address",
            only(&[
                Seen::Somebody,
                refused(NotFound, 404, ""),
                refused(NotFound, 404, "404 page not found"),
            ]),
            vec![Cause::NoSuchAddress],
        ),
        (
            "a page for people",
            only(&[Seen::Somebody, Seen::WebPage, Seen::WebPage]),
            vec![Cause::WebPage],
        ),
        (
            "another path, where all is well",
            Facts {
                corrected: Some("https://x.example/v1".into()),
                ..well()
            },
            vec![Cause::WrongPath("https://x.example/v1".into())],
        ),
        (
            "another path, where the key is wrong",
            Facts {
                corrected: Some("https://x.example/v1".into()),
                ..answering(refused(Unauthorized, 401, ""))
            },
            vec![
                Cause::WrongPath("https://x.example/v1".into()),
                Cause::BadKey,
            ],
        ),
        (
            "too many requests",
            answering(Seen::Refused(Failure {
                retry_after_ms: Some(20_000),
                ..Failure::new(RateLimited, "slow down")
            })),
            vec![Cause::RateLimited(Some(20_000))],
        ),
        (
            "a failing host",
            answering(refused(Server, 503, "")),
            vec![Cause::ServerError(503)],
        ),
        (
            "a request that is refused",
            answering(refused(BadRequest, 400, "temperature")),
            vec![Cause::Refused],
        ),
        (
            "no answer of a chat",
            answering(Seen::Strange),
            vec![Cause::NotAnAnswer],
        ),
        (
            "no streams",
            lacking(Probe::Stream, Seen::Whole),
            vec![Cause::NoStreaming],
        ),
        (
            "streams only",
            lacking(
                Probe::Answer,
                refused(BadRequest, 400, "only support stream mode"),
            ),
            vec![Cause::Fine],
        ),
        (
            "no tools",
            lacking(
                Probe::Tools,
                refused(ToolsUnsupported, 400, "does not support tools"),
            ),
            vec![Cause::NoTools],
        ),
        (
            "a tool that is not called",
            lacking(Probe::Tools, Seen::NotCalled),
            vec![Cause::ToolIgnored],
        ),
        (
            "no count",
            lacking(Probe::Usage, Seen::NotCounted),
            vec![Cause::NoUsage],
        ),
        (
            "too many requests by the time of the tool",
            lacking(Probe::Tools, refused(RateLimited, 429, "")),
            vec![Cause::RateLimited(None)],
        ),
    ];
    for (what, facts, expected) in cases {
        assert_eq!(diagnose(&facts), expected, "{what}");
    }
    let mut facts = well();
    facts.seen[3..].clone_from_slice(&[
        Seen::Whole,
        refused(ToolsUnsupported, 400, ""),
        Seen::NotCounted,
    ]);
    assert_eq!(
        diagnose(&facts),
        [Cause::NoTools, Cause::NoStreaming, Cause::NoUsage],
        "what can do least comes first"
    );
}
