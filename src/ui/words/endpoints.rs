//! Endpoints and their models, in words with names and numbers.

use super::units::number;
use super::{Language, Words};
use crate::kernel::event::{Failure, FailureKind};
use crate::kernel::presets::AS_OF;
use crate::kernel::settings::FactsSource;
use crate::ui::state::setup_link::SetupLink;

impl Words {
    /// Asks whether an endpoint shall go.
    pub fn endpoint_remove(&self, label: &str) -> String {
        match self.language {
            Language::English => format!(
                "Remove {label}? If it has a key, that is forgotten too. Sessions that used it go on with the default."
            ),
            Language::Chinese => {
                format!("移除 {label}？如有密钥，也会一并忘记。使用它的会话将改用默认端点。")
            }
        }
    }

    /// The link to the page that gives out keys.
    pub fn key_page(&self, address: &str) -> String {
        let host = address.split('/').nth(2).unwrap_or_default();
        match self.language {
            Language::English => format!("Get a key at {host}"),
            Language::Chinese => format!("前往 {host} 获取密钥"),
        }
    }

    /// Says that a link filled the form.
    pub fn link_note(&self, link: &SetupLink) -> String {
        let host = link.host();
        let address = match (self.language, &host) {
            (Language::English, Some(host)) => format!(
                "A link filled this form. It leads to {host}: go on only if you know that host, for your key and your messages go there."
            ),
            (Language::English, None) => "A link filled this form.".to_owned(),
            (Language::Chinese, Some(host)) => format!(
                "此表单由链接填写，指向 {host}。密钥和消息都会发往那里，请确认你了解该主机。"
            ),
            (Language::Chinese, None) => "此表单由链接填写。".to_owned(),
        };
        match (link.had_key, self.language) {
            (false, _) => address,
            (true, Language::English) => format!(
                "{address} The key in the link was not used: links are kept in histories. Enter it here if it is yours."
            ),
            (true, Language::Chinese) => {
                format!(
                    "{address}链接中的密钥未被使用，因为链接会留在历史记录里。如果是你的密钥，请在此填写。"
                )
            }
        }
    }

    /// Why there is no list of models, and that it does without.
    pub fn models_failed(&self, failure: &Failure) -> String {
        let told = match failure.kind {
            FailureKind::NotFound | FailureKind::BadEndpoint => self.models_unlisted.to_owned(),
            // It was not even asked.
            FailureKind::Unauthorized if failure.status.is_none() => self.models_no_key.to_owned(),
            _ => self.failure_in_short(failure),
        };
        match self.language {
            Language::English => format!("{told} {}", self.models_type),
            Language::Chinese => format!("{told}{}", self.models_type),
        }
    }

    /// How many models fit, of which at most `most` are shown.
    pub fn models_shown(&self, hits: usize, most: usize) -> String {
        let all = number(hits as u64);
        match (self.language, hits > most) {
            (Language::English, false) => format!("{all} models"),
            (Language::English, true) => format!("{most} of {all} models; type to search"),
            (Language::Chinese, false) => format!("{all} 个模型"),
            (Language::Chinese, true) => format!("{all} 个模型中的 {most} 个，输入可搜索"),
        }
    }

    /// The name of the button that tells which model answers.
    pub fn model_choose(&self, model: &str) -> String {
        match self.language {
            Language::English => format!("Model: {model}"),
            Language::Chinese => format!("模型：{model}"),
        }
    }

    /// Whose figures they are, and where they come from.
    pub fn facts(&self, model: &str, source: FactsSource) -> String {
        let source = match (self.language, source) {
            (Language::English, FactsSource::User) => "set by you".to_owned(),
            (Language::English, FactsSource::Host) => "as the endpoint's list tells".to_owned(),
            (Language::English, FactsSource::Published) => {
                format!("list prices as of {AS_OF}; your host may ask something else")
            }
            (Language::English, FactsSource::Unknown) => {
                "not known, so the window is a guess; set what your host says".to_owned()
            }
            (Language::Chinese, FactsSource::User) => "由你设置".to_owned(),
            (Language::Chinese, FactsSource::Host) => "来自端点的模型列表".to_owned(),
            (Language::Chinese, FactsSource::Published) => {
                format!("{AS_OF} 的公开价目，你的服务商可能不同")
            }
            (Language::Chinese, FactsSource::Unknown) => {
                "未知，窗口为估计值，请按服务商说明填写".to_owned()
            }
        };
        match self.language {
            Language::English => format!("{model}: {source}."),
            Language::Chinese => format!("{model}：{source}。"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn a_link_is_told_with_its_host_and_never_with_a_key() {
        let link = SetupLink::parse("#base=https://x.example/v1&key=sk-1").unwrap();
        for language in BOTH {
            let told = language.words().link_note(&link);
            assert!(
                told.contains("x.example") && !told.contains("sk-1"),
                "{told}"
            );
            assert!(told.contains("key") || told.contains("密钥"));
            let empty = language.words().link_note(&SetupLink::default());
            assert!(empty.ends_with(['.', '。']));
        }
    }

    #[test]
    fn a_list_that_is_not_there_does_not_keep_from_typing() {
        for language in BOTH {
            let words = language.words();
            for kind in [
                FailureKind::Network,
                FailureKind::NotFound,
                FailureKind::Idle,
            ] {
                let told = words.models_failed(&Failure::new(kind, "ECONNREFUSED"));
                assert!(told.ends_with(words.models_type), "{told}");
                assert!(told.len() > words.models_type.len() + 10);
                assert!(!told.contains("ECONNREFUSED"));
            }
        }
    }

    #[test]
    fn a_long_list_says_that_it_is_cut() {
        let words = Language::English.words();
        assert_eq!(words.models_shown(7, 100), "7 models");
        assert_eq!(
            words.models_shown(5_000, 100),
            "100 of 5,000 models; type to search"
        );
    }
}
