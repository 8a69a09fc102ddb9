//! Why a run ended, in words, and what to press next.

use super::{Language, Words};
use crate::kernel::event::{Failure, FailureKind, StopReason};

/// The words at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingWords {
    /// What happened and what it means for the work.
    pub told: String,
    /// What the other side said, in its own words; may be empty.
    pub details: String,
    /// The button that goes on with the run, if that makes sense.
    pub go_on: Option<String>,
    /// What else helps.
    pub way: Way,
}

/// A step to take besides going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// None.
    None,
    /// Something in the settings.
    Settings,
    /// A new session.
    NewSession,
}

impl Words {
    /// The words for `reason`; `limit` is how many rounds the next run may take.
    pub fn ending(&self, reason: &StopReason, limit: u32) -> EndingWords {
        let english = self.language == Language::English;
        let (told, go_on) = match reason {
            StopReason::Completed if english => ("Done".to_owned(), None),
            StopReason::Completed => ("完成".to_owned(), None),
            StopReason::RoundLimit { limit: was } if english => (
                format!("Stopped at the limit of {}.", self.rounds(*was)),
                Some(match limit {
                    1 => "Continue for 1 more round".to_owned(),
                    limit => format!("Continue for {limit} more rounds"),
                }),
            ),
            StopReason::RoundLimit { limit: was } => (
                format!("已达到 {was} 轮的上限，停止。"),
                Some(format!("再继续 {limit} 轮")),
            ),
            StopReason::Finished if english => ("Finished".to_owned(), None),
            StopReason::Finished => ("已完成".to_owned(), None),
            StopReason::TokenBudget { .. } if english => (
                "Stopped: the tokens allowed for a run are used up.".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::TokenBudget { .. } => (
                "已停止：每次运行的词元额度已用完。".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::CostCap { .. } if english => (
                "Stopped: the money allowed for a run is used up.".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::CostCap { .. } => (
                "已停止：每次运行的费用上限已用完。".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::TimeLimit { .. } if english => (
                "Stopped: the time allowed for a run is used up.".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::TimeLimit { .. } => (
                "已停止：每次运行的时间上限已用完。".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::NoProgress if english => (
                "Stopped: the model went round in circles.".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::NoProgress => (
                "已停止：模型在原地打转。".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::ToolFailures { tool } if english => (
                format!("Stopped: {tool} failed again and again."),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::ToolFailures { tool } => (
                format!("已停止：{tool} 一再失败。"),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::LengthLimit if english => (
                "The answer was cut off at the endpoint's length limit.".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::LengthLimit => (
                "回答在端点的长度上限处被截断。".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::ContentFilter if english => (
                "The endpoint held the answer back because of its content rules. Word the task differently."
                    .to_owned(),
                None,
            ),
            StopReason::ContentFilter => (
                "端点因内容规则扣下了回答。请换一种说法。".to_owned(),
                None,
            ),
            StopReason::Cancelled if english => (
                "Stopped by you. What was done is saved.".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::Cancelled => (
                "已由你停止。已完成的部分都已保存。".to_owned(),
                Some(self.continue_run.to_owned()),
            ),
            StopReason::Failed(failure) => return self.failure(failure),
        };
        EndingWords {
            told,
            details: String::new(),
            go_on,
            way: Way::None,
        }
    }

    fn failure(&self, failure: &Failure) -> EndingWords {
        let host = match (failure.host.as_str(), self.language) {
            ("", Language::English) => "the endpoint",
            ("", Language::Chinese) => "端点",
            (host, _) => host,
        };
        let status = failure.status.map(|status| status.to_string());
        let told = match self.language {
            Language::English => english(failure.kind, host, status.as_deref()),
            Language::Chinese => chinese(failure.kind, host, status.as_deref()),
        };
        let go_on = match failure.kind {
            FailureKind::Interrupted => self.continue_run,
            _ => self.try_again,
        };
        EndingWords {
            told: capitalised(&told),
            details: failure.detail.trim().to_owned(),
            go_on: Some(go_on.to_owned()),
            way: way(failure.kind),
        }
    }
}

fn way(kind: FailureKind) -> Way {
    match kind {
        FailureKind::Unauthorized
        | FailureKind::Forbidden
        | FailureKind::NotFound
        | FailureKind::BadEndpoint
        | FailureKind::ToolsUnsupported
        | FailureKind::UnsupportedParameter
        | FailureKind::Network => Way::Settings,
        FailureKind::ContextOverflow => Way::NewSession,
        FailureKind::Billing
        | FailureKind::RateLimited
        | FailureKind::Server
        | FailureKind::BadRequest
        | FailureKind::Truncated
        | FailureKind::Idle
        | FailureKind::Interrupted
        | FailureKind::Storage => Way::None,
    }
}

fn english(kind: FailureKind, host: &str, status: Option<&str>) -> String {
    match kind {
        FailureKind::Network => format!(
            "Couldn't reach {host}. Check that it is running and lets web pages in (CORS). Your files and this conversation are safe."
        ),
        FailureKind::Unauthorized => {
            format!("{host} didn't accept the key. Open settings and enter it again.")
        }
        FailureKind::Forbidden => format!(
            "{host} doesn't let this key do that. Check what the key may do, or enter another one in settings."
        ),
        FailureKind::NotFound => {
            format!("{host} doesn't know this model or address. Check both in settings.")
        }
        FailureKind::BadEndpoint => format!(
            "{host} answered with a web page or something else, not with a model's answer. The address looks wrong, often a /v1 is missing. Check it in settings."
        ),
        FailureKind::Billing => {
            format!("The account at {host} has no credit left. Top it up there, then try again.")
        }
        FailureKind::RateLimited => {
            format!("{host} takes no more requests for the moment. Wait a little, then try again.")
        }
        FailureKind::Server => match status {
            Some(status) => format!("{host} failed (HTTP {status}). The trouble is on its side; try again later."),
            None => format!("{host} failed. The trouble is on its side; try again later."),
        },
        FailureKind::ContextOverflow => "The conversation has become longer than the model can take in. Start a new session; the files stay where they are."
            .into(),
        FailureKind::ToolsUnsupported => {
            "This model can't call tools, so it can't work on files. Choose another model in settings.".into()
        }
        FailureKind::UnsupportedParameter => format!(
            "{host} refuses a part of the request; the details name it. Another model may work."
        ),
        FailureKind::BadRequest => format!("{host} refused the request. The details say why."),
        FailureKind::Truncated => {
            "The answer broke off. What came of it is shown as incomplete, but not used. Try again.".into()
        }
        FailureKind::Idle => format!(
            "{host} fell silent in the middle of its answer. Try again, or allow it more time in settings."
        ),
        FailureKind::Interrupted => {
            "The tab was closed or reloaded during this run. Everything shown is saved.".into()
        }
        FailureKind::Storage => "The browser couldn't save, so the run was stopped. What was shown as done before is safe. Free some disk space, then try again."
            .into(),
    }
}

fn chinese(kind: FailureKind, host: &str, status: Option<&str>) -> String {
    match kind {
        FailureKind::Network => format!(
            "无法连接 {host}。请检查它是否在运行，并允许网页访问（CORS）。你的文件和本次会话都完好。"
        ),
        FailureKind::Unauthorized => format!("{host} 不接受这个密钥。请打开设置重新填写。"),
        FailureKind::Forbidden => {
            format!("{host} 不允许这个密钥这样做。请检查密钥的权限，或在设置中换一个。")
        }
        FailureKind::NotFound => format!("{host} 上没有这个模型或地址。请在设置中检查这两项。"),
        FailureKind::BadEndpoint => format!(
            "{host} 返回的是网页或其他内容，不是模型的回答。地址可能有误，常见的是缺少 /v1。请在设置中检查。"
        ),
        FailureKind::Billing => format!("{host} 的账户余额不足。请充值后重试。"),
        FailureKind::RateLimited => format!("{host} 暂时不再接受请求。请稍候重试。"),
        FailureKind::Server => match status {
            Some(status) => format!("{host} 出错（HTTP {status}）。问题在对方，请稍后重试。"),
            None => format!("{host} 出错。问题在对方，请稍后重试。"),
        },
        FailureKind::ContextOverflow => {
            "会话已超出模型能处理的长度。请新建会话；文件都会保留。".into()
        }
        FailureKind::ToolsUnsupported => {
            "这个模型不能调用工具，无法处理文件。请在设置中换一个模型。".into()
        }
        FailureKind::UnsupportedParameter => {
            format!("{host} 拒绝了请求中的某一项，见详情。换一个模型可能可行。")
        }
        FailureKind::BadRequest => format!("{host} 拒绝了请求，原因见详情。"),
        FailureKind::Truncated => {
            "回答中断了。已收到的部分显示为不完整，不会被使用。请重试。".into()
        }
        FailureKind::Idle => format!("{host} 长时间没有回应。请重试，或在设置中放宽等待时间。"),
        FailureKind::Interrupted => "运行期间标签页被关闭或刷新。所有显示的内容都已保存。".into(),
        FailureKind::Storage => {
            "浏览器无法保存，运行已停止。此前显示为完成的内容都完好。请释放一些磁盘空间后重试。"
                .into()
        }
    }
}

/// A sentence may begin with "the endpoint"; a host keeps its spelling.
fn capitalised(text: &str) -> String {
    match text.strip_prefix("the endpoint") {
        Some(rest) => format!("The endpoint{rest}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    const KINDS: [FailureKind; 15] = [
        FailureKind::Network,
        FailureKind::Unauthorized,
        FailureKind::Forbidden,
        FailureKind::NotFound,
        FailureKind::BadEndpoint,
        FailureKind::Billing,
        FailureKind::RateLimited,
        FailureKind::Server,
        FailureKind::ContextOverflow,
        FailureKind::ToolsUnsupported,
        FailureKind::UnsupportedParameter,
        FailureKind::BadRequest,
        FailureKind::Truncated,
        FailureKind::Interrupted,
        FailureKind::Storage,
    ];

    #[test]
    fn every_failure_is_told_in_whole_sentences() {
        for language in BOTH {
            for kind in KINDS {
                let mut failure = Failure::new(kind, "model_not_found");
                for host in ["", "api.example.com"] {
                    failure.host = host.into();
                    let words = language
                        .words()
                        .ending(&StopReason::Failed(failure.clone()), 24);
                    assert!(words.told.ends_with(['.', '。']), "{}", words.told);
                    assert!(!words.told.contains("model_not_found"), "{}", words.told);
                    assert!(!words.told.starts_with("the "), "{}", words.told);
                    assert_eq!(words.details, "model_not_found");
                    assert!(words.go_on.is_some(), "{kind:?}");
                }
            }
        }
    }

    #[test]
    fn the_other_reasons_have_their_next_step() {
        for language in BOTH {
            let go_on = |reason| language.words().ending(&reason, 24).go_on;
            assert_eq!(go_on(StopReason::Completed), None);
            assert_eq!(go_on(StopReason::ContentFilter), None);
            assert!(go_on(StopReason::Cancelled).is_some());
            assert!(go_on(StopReason::LengthLimit).is_some());
            let more = go_on(StopReason::RoundLimit { limit: 3 }).unwrap();
            assert!(more.contains("24"), "{more}");
        }
    }
}
