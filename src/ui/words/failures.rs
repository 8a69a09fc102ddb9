//! What went wrong with a run, in words.

use super::units::number;
use super::{EndingWords, Language, Way, Words};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::session::Remark;

impl Words {
    /// The words for a run that failed.
    pub(super) fn failure(&self, failure: &Failure) -> EndingWords {
        let host = match (failure.host.as_str(), self.language) {
            ("", Language::English) => "the endpoint",
            ("", Language::Chinese) => "端点",
            (host, _) => host,
        };
        let status = failure.status.map(|status| status.to_string());
        let mut told = match (self.language, failure.kind, failure.parameter.as_deref()) {
            (_, FailureKind::Full, _) => self.room_full_run().to_owned(),
            (language, FailureKind::UnsupportedParameter, Some(name)) => {
                refused(language, host, name)
            }
            (Language::English, kind, _) => english(kind, host, status.as_deref()),
            (Language::Chinese, kind, _) => chinese(kind, host, status.as_deref()),
        };
        if let Some(wait_ms) = failure.retry_after_ms {
            told.push_str(&self.asked_wait(wait_ms));
        }
        let go_on = match failure.kind {
            FailureKind::Interrupted => self.continue_run,
            _ => self.try_again,
        };
        EndingWords {
            told: capitalised(&told),
            details: details(failure),
            go_on: Some(go_on.to_owned()),
            way: way(failure.kind),
        }
    }

    /// How long the other side asks to wait.
    fn asked_wait(&self, wait_ms: u64) -> String {
        let seconds = wait_ms.div_ceil(1_000);
        let (minutes, hours) = (seconds.div_ceil(60), seconds.div_ceil(3_600));
        match (self.language, seconds) {
            (Language::English, ..=120) => format!(" It asks to wait {seconds} s."),
            (Language::English, ..=7_200) => format!(" It asks to wait {minutes} min."),
            (Language::English, _) => format!(" It asks to wait {hours} h."),
            (Language::Chinese, ..=120) => format!("对方要求等待 {seconds} 秒。"),
            (Language::Chinese, ..=7_200) => format!("对方要求等待 {minutes} 分钟。"),
            (Language::Chinese, _) => format!("对方要求等待 {hours} 小时。"),
        }
    }

    /// What is odd about a message.
    pub fn remark(&self, remark: &Remark) -> String {
        match (self.language, remark) {
            (Language::English, Remark::EndedWith(word)) => {
                format!("The endpoint ended this answer with “{word}”, which is not a usual end. It is taken as complete.")
            }
            (Language::Chinese, Remark::EndedWith(word)) => {
                format!("端点以“{word}”结束了这个回答，这不是常见的结束方式。按完整的回答处理。")
            }
            (Language::English, Remark::UnreadCalls) => "The server passed the model's calls on as text, so nothing was run. It lacks a tool parser for this model: start it with one, choose another model, or have calls read from text (an option of the endpoint).".into(),
            (Language::English, Remark::CutTo(window)) => {
                let window = number(*window);
                format!("The endpoint read no more than {window} tokens of a longer conversation: it has likely cut off the beginning, so the model may not know all of it. Start the server with a larger window (Ollama: OLLAMA_CONTEXT_LENGTH; LM Studio: the model's context length), or set “Context window” in settings to {window}, so that the conversation is shortened with care.")
            }
            (Language::Chinese, Remark::CutTo(window)) => {
                let window = number(*window);
                format!("这段对话更长，端点却只读取了不超过 {window} 个 token：它很可能截掉了开头，模型未必知道全部内容。请为服务器设置更大的窗口（Ollama：OLLAMA_CONTEXT_LENGTH；LM Studio：模型的上下文长度），或在设置中把“上下文窗口”设为 {window}，以便妥善压缩对话。")
            }
            (Language::Chinese, Remark::UnreadCalls) => "服务器把模型的调用当作文本传了过来，因此没有执行任何操作。它缺少适用于这个模型的工具解析器：请带上解析器启动它、换一个模型，或开启从文本中读取调用（端点的选项）。".into(),
        }
    }

    /// What went wrong, in its first sentence alone.
    pub fn failure_in_short(&self, failure: &Failure) -> String {
        let mut told = self.failure(failure).told;
        // A period within a sentence, as in a host's name, has no space behind it.
        let end = match self.language {
            Language::English => told.find(". ").map(|at| at + 1),
            Language::Chinese => told.find('。').map(|at| at + '。'.len_utf8()),
        };
        told.truncate(end.unwrap_or(told.len()));
        told
    }
}

/// What the other side said, and the body it said it in.
fn details(failure: &Failure) -> String {
    let (said, body) = (failure.detail.trim(), failure.body.trim());
    match (said, body) {
        (said, "") => said.to_owned(),
        ("", body) => body.to_owned(),
        (said, body) if said == body => said.to_owned(),
        (said, body) => format!("{said}\n\n{body}"),
    }
}

fn refused(language: Language, host: &str, name: &str) -> String {
    match language {
        Language::English => format!(
            "{host} refuses “{name}” in the request. Take it out in settings, or choose another model."
        ),
        Language::Chinese => {
            format!("{host} 拒绝了请求中的“{name}”。请在设置中去掉它，或换一个模型。")
        }
    }
}

fn way(kind: FailureKind) -> Way {
    match kind {
        FailureKind::Unauthorized
        | FailureKind::Forbidden
        | FailureKind::NotFound
        | FailureKind::UnknownModel
        | FailureKind::BadEndpoint
        | FailureKind::ToolsUnsupported
        | FailureKind::UnsupportedParameter
        | FailureKind::Network => Way::Settings,
        FailureKind::ContextOverflow => Way::NewSession,
        FailureKind::Full => Way::Room,
        FailureKind::Billing
        | FailureKind::RateLimited
        | FailureKind::Server
        | FailureKind::ContentFilter
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
            format!("{host} has nothing at this address, often a /v1 is missing or one too many. Check it in settings.")
        }
        FailureKind::UnknownModel => {
            format!("{host} doesn't have this model, or not for this key. Choose another one in settings.")
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
        FailureKind::ContentFilter => format!(
            "{host} refused the request because of its content rules. Word the task differently, or choose another model."
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
        FailureKind::Full | FailureKind::Storage => "The browser couldn't save, so the run was stopped. What was shown as done before is safe. Free some disk space, then try again."
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
        FailureKind::NotFound => {
            format!("{host} 上没有这个地址，常见的是缺少或多出 /v1。请在设置中检查。")
        }
        FailureKind::UnknownModel => {
            format!("{host} 上没有这个模型，或这个密钥不能使用。请在设置中换一个。")
        }
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
        FailureKind::ContentFilter => {
            format!("{host} 因内容规则拒绝了请求。请换一种说法，或换一个模型。")
        }
        FailureKind::BadRequest => format!("{host} 拒绝了请求，原因见详情。"),
        FailureKind::Truncated => {
            "回答中断了。已收到的部分显示为不完整，不会被使用。请重试。".into()
        }
        FailureKind::Idle => format!("{host} 长时间没有回应。请重试，或在设置中放宽等待时间。"),
        FailureKind::Interrupted => "运行期间标签页被关闭或刷新。所有显示的内容都已保存。".into(),
        FailureKind::Full | FailureKind::Storage => {
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
    use crate::kernel::event::StopReason;

    const KINDS: [FailureKind; 19] = [
        FailureKind::Network,
        FailureKind::Unauthorized,
        FailureKind::Forbidden,
        FailureKind::NotFound,
        FailureKind::UnknownModel,
        FailureKind::BadEndpoint,
        FailureKind::Billing,
        FailureKind::RateLimited,
        FailureKind::Server,
        FailureKind::ContextOverflow,
        FailureKind::ToolsUnsupported,
        FailureKind::UnsupportedParameter,
        FailureKind::ContentFilter,
        FailureKind::BadRequest,
        FailureKind::Truncated,
        FailureKind::Idle,
        FailureKind::Interrupted,
        FailureKind::Storage,
        FailureKind::Full,
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
    fn a_refused_field_is_named_and_a_wait_told() {
        let mut failure = Failure::new(FailureKind::UnsupportedParameter, "no");
        failure.parameter = Some("top_p".into());
        failure.body = "{\"error\":\"no\"}".into();
        for language in BOTH {
            let words = language.words().failure(&failure);
            assert!(words.told.contains("“top_p”"), "{}", words.told);
            assert_eq!(words.details, "no\n\n{\"error\":\"no\"}");
        }
        let mut failure = Failure::new(FailureKind::RateLimited, "");
        for (wait_ms, told) in [(1_200, "2 s."), (849_024, "15 min."), (9e6 as u64, "3 h.")] {
            failure.retry_after_ms = Some(wait_ms);
            let words = Language::English.words().failure(&failure);
            assert!(words.told.ends_with(told), "{}", words.told);
        }
    }

    #[test]
    fn in_short_a_failure_is_one_sentence() {
        let mut failure = Failure::new(FailureKind::RateLimited, "");
        failure.host = "api.example.com".into();
        let short = |language: Language| language.words().failure_in_short(&failure);
        assert_eq!(
            short(Language::English),
            "api.example.com takes no more requests for the moment."
        );
        assert_eq!(
            short(Language::Chinese),
            "api.example.com 暂时不再接受请求。"
        );
    }
}
