//! What the kernel wants the user to know outside of any run, in words.

use super::{Language, Words};
use crate::protocol::{FileProblem, Notice};

texts! {
    all_of_tabs;
    /// In a tab that could write.
    taken_over: "Another tab has taken over. This one follows along; nothing is lost, and what you typed here stays.", "另一个标签页已接手。本页改为跟随显示；没有丢失任何内容，你在这里输入的也都保留。";
    /// Button.
    take_over: "Take over", "接手";
    /// Beside it, while a run goes on.
    take_over_stops: "A run is going on there. If you take over, it stops where it is, and you can resume it here.", "那边有任务正在运行。接手后它会停在当前位置，你可以在这里继续。";
}

impl Words {
    /// The words for a notice.
    pub fn notice(&self, notice: &Notice) -> String {
        let english = self.language == Language::English;
        match notice {
            Notice::KeyNeeded => self.key_needed.to_owned(),
            Notice::KeysLocked => self.keys_are_locked.to_owned(),
            Notice::NotLoaded if english => "A part of the app could not be loaded. What you ask \
                for now waits and is done once it is there. If it takes long, check \
                your connection and reload the page."
                .into(),
            Notice::NotLoaded => {
                "应用的一部分未能载入。你现在的操作会等到载入后执行。如果等待很久，请检查网络连接并刷新页面。".into()
            }
            Notice::SpaceUnsaved => self.space_unsaved().to_owned(),
            Notice::ReadOnly => self.read_only_toast.to_owned(),
            Notice::AlreadyRunning => self.already_running.to_owned(),
            Notice::FilesAtWork => self.space_files_at_work().to_owned(),
            Notice::Left => self.space_left().to_owned(),
            Notice::NotTakenOver(reason) => self.not_taken_over(reason).to_owned(),
            Notice::AnswerLate if english => {
                "That question is no longer open, so the answer changes nothing.".into()
            }
            Notice::AnswerLate => "该问题已关闭，此回答不起作用。".into(),
            Notice::NotSaved(_) if english => {
                "The browser couldn't save the last change. Free some disk space, then do it again."
                    .into()
            }
            Notice::NotSaved(_) => "浏览器无法保存刚才的更改。请释放一些磁盘空间后重做。".into(),
            Notice::Full => self.room_full().into(),
            Notice::Low(free) => self.room_low(*free),
            Notice::Learned { host, lesson } => {
                let (model, told) = (&lesson.model, self.lesson(&lesson.refused));
                match english {
                    true => format!(
                        "{host} refused a part of the request to {model}. From now on {told}."
                    ),
                    false => format!("{host} 拒绝了发给 {model} 的请求的一部分。今后{told}。"),
                }
            }
            Notice::Imported(report) => self.imported(report),
            Notice::NotExported(reason) => self.not_exported(reason).to_owned(),
            Notice::WentBack(back) => self.went_back(back),
            Notice::NotUndone { path } => self.not_undone(path.as_deref()),
            Notice::Deleted { path, files, .. } => self.deleted_files(path, *files),
            Notice::Moved { from, to, .. } if english => format!("Moved {from} to {to}."),
            Notice::Moved { from, to, .. } => format!("已将 {from} 移到 {to}。"),
            Notice::SessionDeleted { title, .. } => self.session_deleted(title),
            Notice::SessionNotTaken(why) => self.session_not_taken(*why).to_owned(),
            Notice::SessionAtWork => self.session_at_work().to_owned(),
            Notice::NotDone(problem) => self.file_problem(problem),
            Notice::Mended { moved, gone, more } => self.mended(moved, gone, *more),
        }
    }

    fn not_undone(&self, path: Option<&str>) -> String {
        match (self.language, path) {
            (Language::English, Some(path)) => format!(
                "{path} was changed since, so nothing was undone and nothing is lost. Look at it \
                 as it is now, then decide."
            ),
            (Language::Chinese, Some(path)) => {
                format!(
                    "{path} 之后又有更改，因此未撤销任何内容，也没有丢失内容。请查看其现状后再决定。"
                )
            }
            (Language::English, None) => {
                "There is nothing to undo: what was then is not kept.".to_owned()
            }
            (Language::Chinese, None) => "没有可撤销的内容：当时的状态未保留。".to_owned(),
        }
    }

    /// Damage is told with the names of a few files; there may be thousands.
    fn mended(&self, moved: &[(Option<String>, String)], gone: &[String], more: bool) -> String {
        const NAMES: usize = 3;
        let english = self.language == Language::English;
        let mut text = match english {
            true => "The browser's storage was damaged. What is left is in order again.",
            false => "浏览器的存储曾损坏，剩余内容已整理好。",
        }
        .to_owned();
        if !moved.is_empty() {
            let names = moved.iter().map(|(_, now)| now.as_str());
            let names: Vec<&str> = names.take(NAMES).collect();
            let (count, names) = (moved.len(), names.join(", "));
            text.push_str(&match english {
                true => format!(" Look into lost+found ({count}): {names}."),
                false => format!("请查看 lost+found（{count}）：{names}。"),
            });
        }
        if !gone.is_empty() {
            let names: Vec<&str> = gone.iter().map(String::as_str).take(NAMES).collect();
            let (count, names) = (gone.len(), names.join(", "));
            text.push_str(&match english {
                true => format!(" The content of these is lost ({count}): {names}."),
                false => format!("以下文件的内容已丢失（{count}）：{names}。"),
            });
        }
        if more {
            text.push_str(match english {
                true => " Some names could not be read, so files may be missing.",
                false => "有些名称无法读取，可能缺少文件。",
            });
        }
        text
    }

    /// What is behind a notice, such as the browser's own words; it is shown folded.
    pub fn notice_details(&self, notice: &Notice) -> String {
        match notice {
            Notice::NotSaved(reason)
            | Notice::NotTakenOver(reason)
            | Notice::NotExported(reason)
            | Notice::NotDone(FileProblem::NotSaved(reason)) => reason.clone(),
            Notice::Imported(report) => self.imported_details(report),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;
    use crate::kernel::settings::{Lesson, Refused};

    #[test]
    fn what_a_follower_is_told_is_there_in_both_languages() {
        let [english, chinese] = BOTH.map(|language| language.words().all_of_tabs());
        for (en, zh) in english.iter().zip(&chinese) {
            assert!(!en.is_empty() && !zh.is_empty() && en != zh, "{en}");
        }
    }

    #[test]
    fn every_notice_has_words() {
        let reason = "too long".to_owned();
        let notices = [
            Notice::KeyNeeded,
            Notice::KeysLocked,
            Notice::ReadOnly,
            Notice::AlreadyRunning,
            Notice::FilesAtWork,
            Notice::Left,
            Notice::NotTakenOver(String::new()),
            Notice::NotTakenOver(reason.clone()),
            Notice::NotSaved(reason.clone()),
            Notice::Imported(Box::default()),
            Notice::NotExported(reason),
            Notice::NotUndone { path: None },
            Notice::NotUndone {
                path: Some("a".into()),
            },
            Notice::Mended {
                moved: vec![(Some("a".into()), "lost+found/a".into())],
                gone: vec!["b".into()],
                more: true,
            },
        ];
        for language in BOTH {
            for notice in &notices {
                let text = language.words().notice(notice);
                assert!(text.chars().count() > 4, "{notice:?}: {text}");
            }
        }
        for refused in [Refused::Field("top_p".into()), Refused::Tools, Refused::Ids] {
            for language in BOTH {
                let lesson = Lesson {
                    model: "tiny".into(),
                    refused: refused.clone(),
                };
                let host = "api.example.com".into();
                let text = language.words().notice(&Notice::Learned { host, lesson });
                assert!(
                    text.contains("api.example.com") && text.contains("tiny"),
                    "{text}"
                );
                assert!(text.ends_with(['.', '。']), "{text}");
            }
        }
        let english = Language::English.words().notice(&notices[13]);
        assert_eq!(
            english,
            "The browser's storage was damaged. What is left is in order again. \
             Look into lost+found (1): lost+found/a. The content of these is lost (1): b. \
             Some names could not be read, so files may be missing."
        );
    }
}
