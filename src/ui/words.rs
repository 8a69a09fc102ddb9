//! All texts of the interface, in English and 简体中文. Fixed texts stand in two
//! tables, texts with numbers or names in [`phrases`]; no view holds a word.

/// Makes texts of their own, each beside its translation; `all` gives them to tests.
macro_rules! texts {
    ($all:ident; $($(#[$doc:meta])* $name:ident: $english:literal, $chinese:literal;)*) => {
        impl Words {
            $($(#[$doc])* pub fn $name(&self) -> &'static str {
                self.pick($english, $chinese)
            })*

            #[cfg(test)]
            pub(super) fn $all(&self) -> Vec<&'static str> {
                vec![$(self.$name()),*]
            }
        }
    };
}

mod answers;
mod changes;
pub mod doctor;
mod en;
mod endings;
mod endpoints;
mod failures;
mod files;
mod keys;
mod lessons;
pub mod limits;
mod linked;
mod meter;
mod notices;
mod phrases;
mod pictures;
mod questions;
mod reach;
mod room;
mod runs;
mod sessions;
pub mod shell;
mod spaces;
mod stage;
mod storage;
mod trace;
mod transfers;
pub mod units;
mod zh;

mod writing;

pub use endings::{EndingWords, Way};
pub use meter::percent;
pub use storage::Stays;

/// A language the interface speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// 简体中文.
    Chinese,
}

impl Language {
    /// The best one for a browser that prefers `tags` (BCP 47), in this order.
    pub fn preferred(tags: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        for tag in tags {
            let tag = tag.as_ref().to_ascii_lowercase();
            match tag.split('-').next() {
                Some("zh") => return Language::Chinese,
                Some("en") => return Language::English,
                _ => {}
            }
        }
        Language::English
    }

    /// Its tag, for the document and for browsers' number and line-break rules.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// Its texts.
    pub fn words(self) -> &'static Words {
        match self {
            Language::English => &en::WORDS,
            Language::Chinese => &zh::WORDS,
        }
    }
}

/// Makes the table's type, and a list of its texts for the tests.
macro_rules! table {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// The fixed texts. Each is named after where it stands.
        #[derive(Debug)]
        pub struct Words {
            /// The language the texts are in.
            pub language: Language,
            $($(#[$doc])* pub $field: &'static str,)*
        }

        impl Words {
            /// All fixed texts with their names.
            pub fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($field), self.$field)),*]
            }
        }
    };
}

table! {
    // First start and the endpoint's form.
    setup_lead, setup_stays, setup_stays_text, setup_leaves, setup_leaves_text,     setup_demo_title, setup_demo_text, setup_demo, setup_endpoint_title, setup_endpoint_text,
    setup_save, setup_other_language,
    base_url, base_url_hint, api_key, api_key_hint, api_key_kept, api_key_other_host,
    optional, model, model_hint, use_this,
    // Endpoints and their models.
    endpoints, endpoints_hint, endpoint_add, endpoint_edit, endpoint_is_default,
    endpoint_make_default, endpoint_remove_yes, endpoint_name, endpoint_name_hint, demo_note, key_here, key_none,
    preset, preset_other, preset_hint, preset_web, preset_start, models_list, models_list_title,
    models_loading, models_none, models_unlisted, models_no_key, models_type, models_no_match, models_as_typed, models_show,
    models_manage, model_search, counts_next_run, more, lessons_title, lessons_forget, headers, headers_hint, key_header,
    key_header_hint, extra_body, extra_body_hint, temperature, temperature_hint, top_p,
    top_p_hint, max_tokens, max_tokens_hint, effort, effort_hint, whole_answers, text_calls,
    // Sessions.
    sessions, session_new, session_untitled, sessions_none, today, yesterday, earlier, running,
    sidebar_open, sidebar_close, demo, key_missing, not_connected, settings, starting,
    // Conversation.
    conversation, you, jump_to_latest, thinking, answering, thought, nudge, incomplete,
    round_show, round_hide, waiting, failed, copy, copied, no_count, meter_title,
    show_all, show_less,
    // What a call does: done, doing, could not.
    listed, listing, not_listed, read, reading, not_read, wrote, writing, not_written,
    appended, appending, not_appended, edited, editing, not_edited,
    found, finding, not_found_files, searched, searching, not_searched, made_dir, making_dir, not_made_dir, moved, moving, not_moved, copied_file, copying_file, not_copied_file, deleted, deleting, not_deleted, patched, patching, not_patched,
    called, calling, not_called,
    the_workspace, arguments, result, content, changes, no_output, show_file,
    // The end of a run.
    details, open_settings, continue_run, try_again, not_saved_end,
    // Composer.
    composer, composer_placeholder, composer_demo_placeholder, send, stop, composer_hint, composer_read_only,
    composer_no_kernel, empty_title, empty_text, empty_demo_text, empty_no_files, suggest_without_files,
    // Files.
    files, files_none, files_none_text, import, drop_here, saved_in_browser, kept_in_memory,
    changed, file_close, download, binary_file, missing_file, wide,
    workspace_open, workspace_close, opening, still_loading,
    // Settings.
    endpoint, save, close, limits, round_limit, round_limit_hint,
    appearance, theme, theme_system, theme_light, theme_dark, language_choice, language_auto, about_text,
    // Notices.
    read_only, memory, kernel_died, kernel_silent, kernel_restart, key_needed, read_only_toast,
    already_running, dismiss, copy_failed,
    // Tabs and regions.
    tab_sessions, tab_chat, tab_files,
    // What a run waits for, and what stands beside its rounds.
    denied, asking, unchanged, handed_in, handing_in, not_handed_in, set_steps, setting_steps,
    not_set_steps, asked, asks, not_asked, recalled, recalling, not_recalled, delegated,
    delegating, not_delegated, sub_agent, task_given, steps, step_open, step_doing, step_done,
    compacted_by_rule, compacted_results, compacting, judging, sent_during_run, queued, queue,
    composer_steer_placeholder, take_back, mode, mode_act, mode_plan, mode_reflect, mode_act_does,
    mode_plan_does, mode_reflect_does, rounds_choice, rounds_choice_hint, raise_budget, resume,
    end_here, interrupted_kept, question, to_question, of_sub_agent, allow_once,
    allow_session, allow_always, deny, word_to_model, optional_word, targets, asked_every_write,
    asked_dangerous, asked_again, file_new, file_changed, file_deleted, file_binary,
    file_moved, file_copied, folder_new, folder_deleted, diff_cut,
    own_answer, your_answer, answer, plan_title, plan_hint, plan_add, plan_approve, plan_back,
    plan_word, cut_off_why, run_again, take_as_done, neither, word_with_neither,
    // Settings: limits, the model, approval.
    settings_parts, window_and_prices, minutes, minutes_hint, kilo_tokens, kilo_tokens_hint,
    cents, cents_hint, idle_seconds, idle_seconds_hint, tool_seconds, tool_seconds_hint,
    attempts, attempts_hint, window, window_hint, price_in, price_in_hint, price_cached,
    price_cached_hint, price_out, price_out_hint, second_model, second_model_hint,
    unit_rounds, unit_minutes, unit_seconds, unit_thousand, unit_dollars, unit_attempts,
    unit_tokens, unit_price, approval, approval_mode, approval_writes, approval_dangerous,
    approval_never, approval_writes_hint, approval_dangerous_hint, approval_never_hint, rules,
    rules_hint, rule_add, rule_tool, rule_target, rule_action, rule_allow, rule_ask, rule_deny,
    rule_up, rule_down, rule_remove,
    // Settings: keys.
    keys, keys_none, keys_open, keys_locked, keys_are_locked, keys_damaged, keys_no_cryptography,
    keys_no_storage, keys_keep, keys_keep_hint, keys_keep_save, keys_lock, keys_change,
    keys_forget, keys_forget_ask, keys_forget_yes, keys_at_work, passphrase, passphrase_old,
    passphrase_new, passphrase_again, passphrase_wrong, passphrase_differs, passphrase_no_key,
    passphrase_not_saved, passphrase_hint, passphrase_weak, passphrase_fair, passphrase_strong,
    passphrase_space, passphrase_forgotten, unlock, unlock_text, unlock_to_send, unlock_to_go_on,
    api_key_kept_here, api_key_locked,
    // The doctor.
    doctor_run, doctor_hint, doctor_going_on, doctor_may_ask, doctor_stopped, doctor_key, doctor_copy,
    // Trace.
    trace, trace_open, trace_none, trace_none_text, trace_refresh, trace_export_json,
    trace_export_otlp, trace_clear, trace_clear_ask, trace_clear_yes, cancel, trace_waiting,
    trace_first, trace_stream, trace_tools, trace_summary, trace_critique, trace_title, trace_request,
    trace_response, trace_nothing, trace_notes, trace_retries, trace_calls, trace_open_call,
    // Meter.
    meter_window, meter_none, context_system, context_rules, context_tools, context_history,
    context_results, context_free, meter_spent, meter_spent_session, meter_cost, meter_cost_unknown, meter_full,
}

impl Words {
    /// The one of two texts that is in this language.
    fn pick<'a>(&self, english: &'a str, chinese: &'a str) -> &'a str {
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const BOTH: [Language; 2] = [Language::English, Language::Chinese];

    #[test]
    fn no_text_is_empty_or_shouts() {
        for language in BOTH {
            for (name, text) in language.words().all() {
                assert!(!text.trim().is_empty(), "{name} in {language:?}");
                assert!(
                    !text.contains(['!', '！']),
                    "{name} in {language:?}: {text}"
                );
            }
        }
    }

    #[test]
    fn the_chinese_table_is_chinese() {
        let same_in_both = ["setup_other_language"];
        let english = Language::English.words().all();
        for ((name, en), (_, zh)) in english.into_iter().zip(Language::Chinese.words().all()) {
            assert!(
                en != zh || same_in_both.contains(&name),
                "{name} is not translated: {zh}"
            );
        }
    }

    #[test]
    fn the_browser_s_first_language_that_is_spoken_is_taken() {
        let check = |tags: &[&str], expected| assert_eq!(Language::preferred(tags), expected);
        check(&["zh-CN", "en"], Language::Chinese);
        check(&["fr-FR", "ZH-Hant-TW", "en"], Language::Chinese);
        check(&["en-GB", "zh"], Language::English);
        check(&["de", "fr"], Language::English);
        check(&[], Language::English);
    }
}
