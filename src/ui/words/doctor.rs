//! The doctor's words: what each probe is, what it saw, what that means and what to do.

mod causes;

use self::causes::{chinese, english};
use super::units::number;
use super::{Language, Words};
use crate::kernel::doctor::servers::{LocalServer, Place};
use crate::kernel::doctor::{Cause, Checkup, Probe, Seen, Verdict};
use crate::protocol::Field;

/// Stands in a text for the host.
const HOST: &str = "{host}";
/// Stands in a text for what the cause names.
const NAMED: &str = "{named}";

impl Words {
    fn one(&self, english: &'static str, chinese: &'static str) -> &'static str {
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// What a probe looks at.
    pub fn probe(&self, probe: Probe) -> &'static str {
        match probe {
            Probe::Reach => self.one("Reach the host", "连接主机"),
            Probe::Models => self.one("List its models", "列出模型"),
            Probe::Answer => self.one("Get an answer", "获得回答"),
            Probe::Stream => self.one("Stream an answer", "流式回答"),
            Probe::Tools => self.one("Have a tool called", "调用工具"),
            Probe::Usage => self.one("Count tokens", "统计 token"),
        }
    }

    /// What a probe's line says at a glance.
    pub fn verdict(&self, verdict: Verdict) -> &'static str {
        match verdict {
            Verdict::Fine => self.one("fine", "正常"),
            Verdict::Problem => self.one("problem", "有问题"),
            Verdict::Skipped => self.one("skipped", "跳过"),
        }
    }

    /// What a probe saw.
    pub fn seen(&self, seen: &Seen) -> String {
        let fixed = match seen {
            Seen::Skipped => self.one("not looked at", "未检查"),
            Seen::Nothing => self.one("no answer this page may see", "没有本页能看到的回答"),
            Seen::Late => self.one("nothing came in time", "超时无回应"),
            Seen::Somebody => self.one("somebody answers", "有回应"),
            Seen::WebPage => self.one("a web page came", "返回了网页"),
            Seen::Strange => self.one("something else came", "返回了别的内容"),
            Seen::Answered => self.one("the model answers", "模型作答"),
            Seen::Streamed => self.one("it comes piece by piece", "逐段返回"),
            Seen::Whole => self.one("it comes in one piece", "整段返回"),
            Seen::Called => self.one("the model calls it", "模型会调用"),
            Seen::NotCalled => self.one("the model does not call it", "模型没有调用"),
            Seen::Counted => self.one("the host counts", "主机有统计"),
            Seen::NotCounted => self.one("no count came", "没有统计"),
            Seen::Models(1) => self.one("1 model", "1 个模型"),
            Seen::Models(n) => {
                let of_all = number(u64::from(*n));
                return self
                    .one("{named} models", "{named} 个模型")
                    .replace(NAMED, &of_all);
            }
            Seen::Refused(failure) => {
                let mut text = self.one("refused", "被拒绝").to_owned();
                if let Some(status) = failure.status {
                    text.push_str(" · HTTP ");
                    text.push_str(&status.to_string());
                }
                if !failure.detail.is_empty() {
                    text.push_str(" · ");
                    text.push_str(&failure.detail);
                }
                return text;
            }
        };
        fixed.to_owned()
    }

    /// What a cause means for the endpoint at `host`, and what to do about it.
    pub fn cause(&self, cause: &Cause, host: &str, is_local: bool) -> [String; 2] {
        let [told, todo] = match cause {
            Cause::BadAddress(problem) => {
                return [self.problem(Field::BaseUrl, problem), String::new()];
            }
            cause => match self.language {
                Language::English => english(cause, is_local),
                Language::Chinese => chinese(cause, is_local),
            },
        };
        let host = match host {
            "" => self.one("the endpoint", "端点"),
            host => host,
        };
        let named = named(cause);
        [told, todo].map(|text| text.replace(HOST, host).replace(NAMED, &named))
    }

    /// What is said of a server on this machine beside its name.
    pub fn server_note(&self, server: LocalServer) -> &'static str {
        match server {
            LocalServer::Ollama | LocalServer::Vllm => "",
            LocalServer::LmStudio => self.one(
                "or switch on CORS in its developer settings",
                "或在其开发者设置中打开 CORS",
            ),
            LocalServer::LlamaCpp => self.one(
                "lets pages in by itself; check that the port is right",
                "本身允许网页访问；请检查端口",
            ),
        }
    }

    /// Where a line is to be run.
    pub fn place(&self, place: Place) -> &'static str {
        match place {
            Place::Shell => self.one("In a terminal", "在终端中"),
            Place::MacOs => self.one("macOS app, then restart it", "macOS 应用，然后重启它"),
            Place::Linux => self.one("Linux service", "Linux 服务"),
            Place::Windows => self.one("Windows app, then restart it", "Windows 应用，然后重启它"),
        }
    }
}

/// What a cause names, in any language.
fn named(cause: &Cause) -> String {
    match cause {
        Cause::WrongPath(address) => address.clone(),
        Cause::Preflight(headers) => headers.join(", "),
        Cause::ServerError(status) => status.to_string(),
        Cause::RateLimited(Some(wait_ms)) => wait_ms.div_ceil(1_000).to_string(),
        _ => String::new(),
    }
}

/// All that was found, in English, for whoever is asked for help. `host` is the host's name,
/// `page` where the page comes from, `browser` its browser.
pub fn report(checkup: &Checkup, host: &str, page: &str, browser: &str) -> String {
    let words = Language::English.words();
    let mut lines = vec![
        concat!("Tabloop ", env!("CARGO_PKG_VERSION"), ", doctor's report").to_owned(),
        ["Page: ", page].concat(),
        ["Browser: ", browser].concat(),
        ["Endpoint: ", &checkup.address].concat(),
        ["Model: ", &checkup.model].concat(),
    ];
    for (at, cause) in checkup.causes.iter().enumerate() {
        let [told, _] = words.cause(cause, host, false);
        let label = if at == 0 { "Cause: " } else { "Also: " };
        let near = match cause {
            Cause::UnknownModel(near) if !near.is_empty() => {
                [" It has: ", &near.join(", "), "."].concat()
            }
            _ => String::new(),
        };
        lines.push([label, cause.name(), ". ", &told, &near].concat());
    }
    for look in &checkup.seen {
        let verdict = words.verdict(look.seen.verdict(look.probe));
        let took = look.took_ms.to_string();
        let seen = words.seen(&look.seen);
        let line = [
            "- ",
            words.probe(look.probe),
            ": ",
            verdict,
            ", ",
            &seen,
            " (",
            &took,
            " ms)",
        ];
        lines.push(line.concat());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;
    use crate::kernel::doctor::Look;
    use crate::kernel::event::{Failure, FailureKind};
    use crate::kernel::settings::Problem;

    fn causes() -> Vec<Cause> {
        let some = || vec!["x-a".to_owned()];
        vec![
            Cause::Fine,
            Cause::BadAddress(Problem::Empty),
            Cause::MixedContent,
            Cause::BadKeyText,
            Cause::KeyLocked,
            Cause::WrongPath("https://x.example/v1".into()),
            Cause::WebPage,
            Cause::NoSuchAddress,
            Cause::NoCors,
            Cause::Preflight(some()),
            Cause::Unreachable,
            Cause::Silent,
            Cause::LocalNetwork,
            Cause::NoKey,
            Cause::BadKey,
            Cause::KeyMayNot,
            Cause::NoCredit,
            Cause::UnknownModel(some()),
            Cause::UnknownModel(Vec::new()),
            Cause::RateLimited(Some(1_500)),
            Cause::RateLimited(None),
            Cause::ServerError(503),
            Cause::Refused,
            Cause::NotAnAnswer,
            Cause::NoStreaming,
            Cause::NoTools,
            Cause::ToolIgnored,
            Cause::NoUsage,
            Cause::NoOrigin,
        ]
    }

    #[test]
    fn every_cause_is_told_in_a_whole_sentence_of_its_own() {
        for language in BOTH {
            for is_local in [false, true] {
                let told = causes().into_iter().map(|cause| {
                    let [told, todo] = language.words().cause(&cause, "x.example", is_local);
                    assert!(told.ends_with(['.', '。']), "{told}");
                    assert!(
                        todo.is_empty() || todo.ends_with(['.', '。', ':', '：']),
                        "{todo}"
                    );
                    assert!(!told.contains('{') && !todo.contains('{'), "{told} {todo}");
                    [told, todo].concat()
                });
                let mut told: Vec<String> = told.collect();
                told.sort();
                let all = told.len();
                told.dedup();
                assert_eq!(told.len(), all, "two causes are told alike");
            }
        }
        let words = Language::English.words();
        let [_, wait] = words.cause(&Cause::RateLimited(Some(1_500)), "h", false);
        assert_eq!(wait, "Wait 2 s, then try again.");
    }

    #[test]
    fn the_report_is_plain_text_with_all_that_was_found() {
        let failure = Failure {
            status: Some(404),
            ..Failure::new(FailureKind::NotFound, "no model x")
        };
        let checkup = Checkup {
            address: "https://x.example/v1".into(),
            model: "x".into(),
            seen: vec![
                Look {
                    probe: Probe::Models,
                    seen: Seen::Models(1_234),
                    took_ms: 12,
                },
                Look {
                    probe: Probe::Answer,
                    seen: Seen::Refused(failure),
                    took_ms: 7,
                },
            ],
            causes: vec![Cause::UnknownModel(vec!["x1".into()]), Cause::NoUsage],
            ..Checkup::default()
        };
        let text = report(&checkup, "x.example", "https://page.example", "A browser");
        let expected = "\
Page: https://page.example
Browser: A browser
Endpoint: https://x.example/v1
Model: x
Cause: UnknownModel. x.example has no model of this name. It has: x1.
Also: NoUsage. x.example does not count tokens.
- List its models: fine, 1,234 models (12 ms)
- Get an answer: problem, refused · HTTP 404 · no model x (7 ms)";
        assert_eq!(text.split_once('\n').map(|(_, rest)| rest), Some(expected));
    }
}
