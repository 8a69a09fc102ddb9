//! What kind of trouble it is, by status and by wording. Wordings are those of public
//! servers; the status alone misleads: used-up credit comes as 429, an overfull window
//! as 400, a wrong model as 404 or 400.

use super::told::Told;
use crate::kernel::event::FailureKind;

/// The kind of trouble.
pub(super) fn classify(status: Option<u16>, told: &Told) -> FailureKind {
    let text = format!("{} {} {}", told.message, told.code, told.kind).to_ascii_lowercase();
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    let is_rate = status == Some(429) || has(RATE);
    if !is_rate && overflows(&text) {
        return FailureKind::ContextOverflow;
    }
    // A quota that fills again in a moment is a rate limit.
    let comes_back = told.wait_ms().is_some();
    if status == Some(402) || has(NO_CREDIT) || (has(QUOTA) && !comes_back) {
        return FailureKind::Billing;
    }
    if has(NO_TOOLS) {
        return FailureKind::ToolsUnsupported;
    }
    if has(FILTERED) && !matches!(status, Some(401 | 429 | 500..)) {
        return FailureKind::ContentFilter;
    }
    if has(BAD_KEY) && !matches!(status, Some(429 | 500..)) {
        return FailureKind::Unauthorized;
    }
    if has(NO_MODEL) && !matches!(status, Some(401 | 403 | 429 | 500..)) {
        return FailureKind::UnknownModel;
    }
    match status {
        Some(status) => of_status(status, told, &text),
        None if is_rate => FailureKind::RateLimited,
        None if refuses_field(told, &text) => FailureKind::UnsupportedParameter,
        None => FailureKind::Server,
    }
}

fn of_status(status: u16, told: &Told, text: &str) -> FailureKind {
    match status {
        401 => FailureKind::Unauthorized,
        403 => FailureKind::Forbidden,
        404 | 410 if text.contains("model") && !told.is_markup => FailureKind::UnknownModel,
        404 | 405 | 410 => FailureKind::NotFound,
        408 | 409 | 425 | 429 => FailureKind::RateLimited,
        // Some hosts tell an overfull window without a word.
        413 => FailureKind::ContextOverflow,
        400 if told.is_empty => FailureKind::ContextOverflow,
        500.. => FailureKind::Server,
        _ if told.is_markup => FailureKind::BadEndpoint,
        _ if RATE.iter().any(|needle| text.contains(needle)) => FailureKind::RateLimited,
        _ if refuses_field(told, text) => FailureKind::UnsupportedParameter,
        _ => FailureKind::BadRequest,
    }
}

/// Whether a field of the request is the trouble. Loose words count only beside the
/// name of such a field.
fn refuses_field(told: &Told, text: &str) -> bool {
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    has(REFUSED) || (has(PERHAPS_REFUSED) && told.parameter().is_some())
}

fn overflows(text: &str) -> bool {
    let has = |needle: &&str| text.contains(*needle);
    let both = |(first, second): &(&str, &str)| {
        text.split_once(first)
            .is_some_and(|(_, rest)| rest.contains(second))
    };
    OVERFLOW.iter().any(has) || OVERFLOW_PARTS.iter().any(both)
}

const OVERFLOW: &[&str] = &[
    "context_length_exceeded",
    "context length exceeded",
    "context_length exceeded",
    "model_context_window_exceeded",
    "exceed_context_size",
    "string_above_max_length",
    "maximum context length",
    "maximum prompt length",
    "maximum input length",
    "maximum allowed input length",
    "context window exceeds limit",
    "available context size",
    "configured context size",
    "greater than the context length",
    "model's context length",
    "model's context window",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
    "exceeded model token limit",
    "token limit exceeded",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "too many tokens",
    "reduce the length of the messages",
    "range of input length should be",
    "request entity too large",
    "request_too_large",
    "payload too large",
];

/// One behind the other.
const OVERFLOW_PARTS: &[(&str, &str)] = &[
    ("input token count", "exceeds"),
    ("prompt token count", "exceeds the limit"),
    ("input length", "exceeds"),
    ("context length is only", "tokens"),
    ("input tokens exceed", "limit"),
    ("longer than the", "context"),
    ("输入长度", "超"),
    ("上下文", "超"),
];

/// The account has nothing left.
const NO_CREDIT: &[&str] = &[
    "insufficient_quota",
    "insufficient_user_quota",
    "insufficient_balance",
    "insufficient balance",
    "insufficient credit",
    "insufficient account balance",
    "insufficient funds",
    "not enough credits",
    "requires more credits",
    "credit is used up",
    "credits are used up",
    "out of credit",
    "no credits",
    "credit balance",
    "billing_hard_limit",
    "billing_not_active",
    "billing hard limit",
    "payment required",
    "payment_required",
    "arrearage",
    "overdue payment",
    "余额不足",
    "额度不足",
    "欠费",
];

/// A quota is used up, which may be for a minute or for good.
const QUOTA: &[&str] = &[
    "exceeded your current quota",
    "quota exceeded",
    "quota has been exhausted",
    "check your plan and billing",
];

const RATE: &[&str] = &[
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "too_many_requests",
    "tokens per minute",
    "requests per minute",
    "throttl",
    "resource_exhausted",
    "请求过于频繁",
];

const NO_TOOLS: &[&str] = &[
    "does not support tool",
    "does not support function",
    "doesn't support tool",
    "not support tool use",
    "not support function call",
    "tool use is not supported",
    "tool calling is not supported",
    "tool use with function calling is unsupported",
    "function calling is not enabled",
    "function calling is not supported",
    "tools is not supported",
    "tools are not supported",
    "'tools' is not supported",
    "`tools` is not supported",
    "no endpoints found that support tool",
    // vLLM and llama.cpp, when they were started without.
    "--enable-auto-tool-choice",
    "tools param requires --jinja",
];

const FILTERED: &[&str] = &[
    "content_filter",
    "content management policy",
    "responsibleaipolicyviolation",
    "content_policy_violation",
    "data_inspection_failed",
    "datainspectionfailed",
    "inappropriate content",
    "content exists risk",
    "input was flagged",
    "flagged by",
    "violates our usage policies",
    "prohibited_content",
    "不安全或敏感内容",
];

const BAD_KEY: &[&str] = &[
    "invalid api key",
    "invalid api-key",
    "incorrect api key",
    "invalid_api_key",
    "api_key_invalid",
    "api key not valid",
    "api key is invalid",
    "api key not found",
    "no api key",
    "missing api key",
    "no auth credentials",
    "invalid x-api-key",
    "invalid bearer token",
    "authentication_error",
    "authentication fails",
    "unauthorized",
    "login fail",
    "无效的令牌",
];

const NO_MODEL: &[&str] = &[
    "model_not_found",
    "model not found",
    "modelnotfound",
    "model does not exist",
    "model not exist",
    "no such model",
    "unknown model",
    "unknown_model",
    "invalid model",
    "invalid_model",
    "not a valid model",
    "model_not_supported",
    "unsupported model",
    "model is not supported",
    "model_decommissioned",
    "has been decommissioned",
    "deploymentnotfound",
    "no endpoints found for",
    "no models loaded",
    "模型不存在",
];

/// A field is refused for sure.
const REFUSED: &[&str] = &[
    "extra inputs are not permitted",
    "extra_forbidden",
    "unsupported parameter",
    "unsupported_parameter",
    "unsupportedparams",
    "unknown parameter",
    "unknown_parameter",
    "unrecognized request argument",
    "unrecognized key",
    "unknown field",
    "cannot find field",
    "unsupported value",
    "unsupported_value",
    "unexpected keyword argument",
    "additional properties are not allowed",
    "property is unsupported",
    "is not one of the permitted",
];

const PERHAPS_REFUSED: &[&str] = &[
    "not supported",
    "unsupported",
    "not support",
    "doesn't support",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown name",
    "unexpected",
    "deprecated",
    "invalid value",
    "invalid_value",
    "must be passed back",
    "missing",
    "is too large",
];
