//! What was changed and going back in it, in words.

use super::units::{bytes, number};
use super::{Language, Words};
use crate::kernel::session::rewind::Extent;
use crate::kernel::workspace::Begins;
use crate::protocol::{ListedCheckpoint, Outlook, Refusal, WentBack};
use crate::ui::state::days::{Day, day_of};

texts! {
    all_of_changes;
    /// Of changes and going back.
    changes_of: "Show", "显示";
    /// Of changes and going back.
    changes_run: "Last run", "上次运行";
    /// Of changes and going back.
    changes_session: "This session", "本会话";
    /// Of changes and going back.
    changes_checkpoint: "Since a checkpoint", "自某个检查点起";
    /// Of changes and going back.
    changes_none: "Nothing changed", "没有改动";
    /// Of changes and going back.
    changes_none_text: "What a run changes in your files shows up here. Keep it, or take it back by file or by place.", "运行对文件所作的改动会显示在这里，可以保留，也可以按文件或按位置撤回。";
    /// Of changes and going back.
    changes_not_kept: "What the files were then is no longer kept. Choose a later checkpoint.", "当时的文件内容已不再保留。请选择更晚的检查点。";
    /// Of changes and going back.
    changes_side: "Side by side", "并排显示";
    /// Of changes and going back.
    change_reviewed: "Reviewed", "已审阅";
    /// Of changes and going back.
    change_review: "Mark as reviewed", "标记为已审阅";
    /// Of changes and going back.
    change_review_all: "Mark all as reviewed", "全部标记为已审阅";
    /// Of changes and going back.
    change_same: "Only its place changed; the content is the same.", "只是位置变了，内容相同。";
    /// Of changes and going back.
    change_sizes: "Not shown line by line: not text, or larger than 1 MB.", "不逐行显示：不是文本，或超过 1 MB。";
    /// Of changes and going back.
    change_nothing: "There is nothing to show any more: the file is as it was, or what it was is not kept.", "已没有可显示的内容：文件与原来相同，或原内容未保留。";
    /// Of changes and going back.
    change_more_lines: "More lines changed than are shown. “Revert file” takes back all of them.", "改动的行数多于所显示的。“撤回文件”会撤回全部。";
    /// Of changes and going back.
    image_was: "Before", "之前";
    /// Of changes and going back.
    image_is: "Now", "现在";
    /// Of changes and going back.
    revert: "Revert", "撤回";
    /// Of changes and going back.
    revert_file: "Revert file", "撤回文件";
    /// Of changes and going back.
    revert_hunk: "Revert these lines", "撤回这些行";
    /// Of changes and going back.
    revert_all: "Revert all", "全部撤回";
    /// Of changes and going back.
    review_changes: "Review changes", "审阅改动";
    /// Of changes and going back.
    undo: "Undo", "撤销";
    /// Of changes and going back.
    redo: "Redo", "重做";
    /// Of changes and going back.
    undo_round: "Undo from this round on", "从这一轮起撤销";
    /// Of changes and going back.
    undo_run: "Undo this run's changes", "撤销本次运行的改动";
    /// Of changes and going back.
    undo_run_ask: "Undo this run?", "撤销本次运行？";
    /// Of changes and going back.
    undo_in: "Undo in", "撤销范围";
    /// Of changes and going back.
    undo_both: "Files and conversation", "文件和对话";
    /// Of changes and going back.
    undo_files: "Files only", "仅文件";
    /// Of changes and going back.
    undo_chat: "Conversation only", "仅对话";
    /// Of changes and going back.
    continue_here: "Continue from here", "从这里继续";
    /// Of changes and going back.
    checkpoints: "Checkpoints", "检查点";
    /// Of changes and going back.
    checkpoints_none: "No checkpoints yet", "还没有检查点";
    /// Of changes and going back.
    checkpoints_none_text: "One is kept before each round that changes files.", "每个更改文件的轮次之前都会保留一个检查点。";
    /// Of changes and going back.
    checkpoint_back: "Back to the changes", "返回改动";
    /// Of changes and going back.
    checkpoint_changes: "Changes since", "此后的改动";
    /// Of changes and going back.
    checkpoint_restore: "Restore", "恢复";
    /// Of changes and going back.
    checkpoint_ask: "Make all files what they were then? Later changes go, whoever made them. This can be undone.", "将所有文件恢复到当时的状态？此后的更改都会消失，无论由谁所作。此操作可以撤销。";
    /// Of changes and going back.
    checkpoint_run: "A run goes on: wait for its end, or stop it.", "运行正在进行：请等待其结束，或将其停止。";
}

impl Words {
    fn speaks_english(&self) -> bool {
        self.language == Language::English
    }

    /// So many files.
    pub fn files_count(&self, n: usize) -> String {
        match (self.language, n) {
            (Language::English, 1) => "1 file".to_owned(),
            (Language::English, n) => format!("{} files", number(n as u64)),
            (Language::Chinese, n) => format!("{} 个文件", number(n as u64)),
        }
    }

    /// So many files changed.
    pub fn files_changed(&self, n: usize) -> String {
        let files = self.files_count(n);
        match self.language {
            Language::English => format!("{files} changed"),
            Language::Chinese => format!("已更改 {files}"),
        }
    }

    /// Shows more files; `left` are not shown yet.
    pub fn more_changes(&self, left: usize) -> String {
        let left = number(left as u64);
        match self.language {
            Language::English => format!("Show more ({left} left)"),
            Language::Chinese => format!("显示更多（还有 {left} 个）"),
        }
    }

    /// A place of a file that differs: its lines as they are now.
    pub fn hunk_lines(&self, first: usize, last: usize) -> String {
        match (self.language, first >= last) {
            (Language::English, true) => format!("Line {first}"),
            (Language::English, false) => format!("Lines {first}–{last}"),
            (Language::Chinese, true) => format!("第 {first} 行"),
            (Language::Chinese, false) => format!("第 {first}–{last} 行"),
        }
    }

    /// The size of a file before and now.
    pub fn sizes(&self, was: Option<u64>, is: Option<u64>) -> String {
        let size = |size: Option<u64>| size.map_or_else(|| "–".to_owned(), bytes);
        format!("{} → {}", size(was), size(is))
    }

    /// Takes back everything that is listed?
    pub fn revert_all_ask(&self, files: usize) -> String {
        let files = self.files_count(files);
        match self.language {
            Language::English => format!("Take back the changes in {files}? This can be undone."),
            Language::Chinese => format!("撤回 {files} 中的改动？此操作可以撤销。"),
        }
    }

    /// What was gone back in.
    pub fn extent(&self, extent: Extent) -> &'static str {
        match extent {
            Extent::Both => self.undo_both(),
            Extent::Files => self.undo_files(),
            Extent::Chat => self.undo_chat(),
        }
    }

    /// A step back that was made, or undone.
    pub fn went_back(&self, back: &WentBack) -> String {
        let english = self.speaks_english();
        match back {
            WentBack::Undone { extent, .. } => self.undone(*extent),
            WentBack::Redone(extent) => match (extent, english) {
                (Extent::Both, true) => "Files and conversation are as they were before the undo.",
                (Extent::Files, true) => "The files are as they were before the undo.",
                (Extent::Chat, true) => "The conversation is as it was before the undo.",
                (Extent::Both, false) => "文件和对话已恢复到撤销之前。",
                (Extent::Files, false) => "文件已恢复到撤销之前。",
                (Extent::Chat, false) => "对话已恢复到撤销之前。",
            }
            .to_owned(),
            WentBack::Reverted { files, .. } => match english {
                true => format!("Changes in {} were taken back.", self.files_count(*files)),
                false => format!("已撤回 {} 中的改动。", self.files_count(*files)),
            },
            WentBack::Restored { generation: None } => match english {
                true => "The files are the same as at that checkpoint. Nothing was changed.",
                false => "文件与该检查点相同，未作任何更改。",
            }
            .to_owned(),
            WentBack::Restored { .. } => match english {
                true => "All files are as they were at that checkpoint.",
                false => "所有文件已恢复到该检查点。",
            }
            .to_owned(),
            WentBack::Forward => match english {
                true => "Undone: the files are as they were before.",
                false => "已撤销：文件恢复到之前的状态。",
            }
            .to_owned(),
        }
    }

    /// Rounds are taken back, and can be brought in again.
    pub fn undone(&self, extent: Extent) -> String {
        match (extent, self.speaks_english()) {
            (Extent::Both, true) => "Undone in the files and in the conversation.",
            (Extent::Files, true) => "Undone in the files. The conversation stays.",
            (Extent::Chat, true) => "Undone in the conversation. The files stay.",
            (Extent::Both, false) => "已在文件和对话中撤销。",
            (Extent::Files, false) => "已在文件中撤销，对话保留。",
            (Extent::Chat, false) => "已在对话中撤销，文件保留。",
        }
        .to_owned()
    }

    /// How far an undo would go: the round and those behind it.
    pub fn undo_reach(&self, rounds: usize) -> String {
        match (self.language, rounds) {
            (Language::English, 0 | 1) => "Undo this round?".to_owned(),
            (Language::English, 2) => "Undo this round and the one after it?".to_owned(),
            (Language::English, n) => format!("Undo this round and the {} after it?", n - 1),
            (Language::Chinese, 0 | 1) => "撤销这一轮？".to_owned(),
            (Language::Chinese, n) => format!("撤销这一轮及其后的 {} 轮？", n - 1),
        }
    }

    /// Which files an undo would change, or why it can't.
    pub fn undo_files_told(&self, outlook: &Outlook) -> String {
        if let Some(refusal) = &outlook.refusal {
            return self.refusal(refusal);
        }
        let names = outlook.files.join(", ");
        let more = outlook.total.saturating_sub(outlook.files.len());
        match (self.language, outlook.total, more) {
            (Language::English, 0, _) => "No file changes with it.".to_owned(),
            (Language::Chinese, 0, _) => "不涉及文件。".to_owned(),
            (Language::English, _, 0) => format!("Files: {names}."),
            (Language::Chinese, _, 0) => format!("文件：{names}。"),
            (Language::English, _, more) => format!("Files: {names} and {more} more."),
            (Language::Chinese, _, more) => format!("文件：{names} 等，另有 {more} 个。"),
        }
    }

    fn refusal(&self, refusal: &Refusal) -> String {
        match (self.language, refusal) {
            (Language::English, Refusal::Changed(path)) => format!(
                "The files can't be undone: {path} was changed since by someone else, and that \
                 would be lost."
            ),
            (Language::Chinese, Refusal::Changed(path)) => {
                format!("无法撤销文件：{path} 之后又被他人更改，撤销会丢失那些更改。")
            }
            (Language::English, Refusal::NotKept) => {
                "The files can't be undone: what they were is no longer kept.".to_owned()
            }
            (Language::Chinese, Refusal::NotKept) => {
                "无法撤销文件：当时的内容已不再保留。".to_owned()
            }
        }
    }

    /// When something was, by the user's clock; `now` is the time in milliseconds since the
    /// Unix epoch, and how many minutes the clock is behind UTC.
    pub fn moment(&self, at_ms: u64, (now_ms, offset_min): (u64, i32)) -> String {
        let (date, time) = date_and_time(at_ms, offset_min);
        match day_of(at_ms, now_ms, offset_min) {
            Day::Today => time,
            Day::Yesterday => format!("{} {time}", self.yesterday),
            Day::Week | Day::Earlier => format!("{date} {time}"),
        }
    }

    /// What began at a checkpoint.
    pub fn begins(&self, listed: &ListedCheckpoint) -> String {
        let english = self.speaks_english();
        match &listed.checkpoint.begins {
            Begins::Round(origin) => {
                let round = self.round(origin.round);
                match (listed.task.is_empty(), english) {
                    (true, true) => format!("Before {}", round.to_lowercase()),
                    (true, false) => format!("{round}之前"),
                    (false, true) => format!("Before {} of: {}", round.to_lowercase(), listed.task),
                    (false, false) => format!("{round}之前：{}", listed.task),
                }
            }
            Begins::TakenBack(_) => match english {
                true => "Before an undo",
                false => "撤销之前",
            }
            .to_owned(),
            Begins::BroughtBack(_) => match english {
                true => "Before a redo",
                false => "重做之前",
            }
            .to_owned(),
            Begins::Restored(_) => match english {
                true => "Before going back to a checkpoint",
                false => "回到检查点之前",
            }
            .to_owned(),
            Begins::Reverted => match english {
                true => "Before changes were taken back",
                false => "撤回改动之前",
            }
            .to_owned(),
        }
    }
}

/// `2026-11-30` and `09:05`, by a clock that is so many minutes behind UTC.
fn date_and_time(at_ms: u64, offset_min: i32) -> (String, String) {
    let minutes = at_ms as i64 / 60_000 - i64::from(offset_min);
    let (days, minute) = (minutes.div_euclid(1_440), minutes.rem_euclid(1_440));
    // Eras of 400 years that begin with March, as H. Hinnant's "chrono-Compatible Low-Level
    // Date Algorithms" counts them.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let date = format!("{year}-{month:02}-{day:02}");
    (date, format!("{:02}:{:02}", minute / 60, minute % 60))
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    fn outlook(files: &[&str], total: usize, refusal: Option<Refusal>) -> Outlook {
        Outlook {
            session: "s".into(),
            seq: 1,
            rounds: 1,
            files: files.iter().map(|path| (*path).to_owned()).collect(),
            total,
            refusal,
        }
    }

    #[test]
    fn an_undo_tells_its_files_or_why_it_cannot() {
        let english = Language::English.words();
        for (given, told) in [
            (outlook(&[], 0, None), "No file changes with it."),
            (outlook(&["a", "b"], 2, None), "Files: a, b."),
            (outlook(&["a", "b"], 9, None), "Files: a, b and 7 more."),
            (
                outlook(&[], 0, Some(Refusal::Changed("notes.md".into()))),
                "The files can't be undone: notes.md was changed since by someone else, and that \
                 would be lost.",
            ),
        ] {
            assert_eq!(english.undo_files_told(&given), told);
        }
        assert_eq!(english.undo_reach(1), "Undo this round?");
        assert_eq!(english.undo_reach(3), "Undo this round and the 2 after it?");
    }

    #[test]
    fn moments_are_told_by_the_users_clock() {
        for (at, told) in [
            (0, "1970-01-01 00:00"),
            (951_827_696_000, "2000-02-29 12:34"),
            (1_798_761_599_000, "2026-12-31 23:59"),
        ] {
            let (date, time) = date_and_time(at, 0);
            assert_eq!(format!("{date} {time}"), told);
        }
        let moment = |at| {
            Language::English
                .words()
                .moment(at, (1_798_761_599_000, -60))
        };
        assert_eq!(moment(1_798_761_540_000), "00:59");
        assert_eq!(moment(1_798_750_740_000), "Yesterday 21:59");
        assert_eq!(moment(1_798_588_800_000), "2026-12-30 01:00");
    }

    #[test]
    fn every_step_back_is_told_in_a_sentence() {
        let steps = [
            WentBack::Undone {
                session: "s".into(),
                extent: Extent::Both,
            },
            WentBack::Redone(Extent::Chat),
            WentBack::Reverted {
                files: 1,
                generation: 4,
            },
            WentBack::Restored { generation: None },
            WentBack::Restored {
                generation: Some(2),
            },
            WentBack::Forward,
        ];
        for language in BOTH {
            for step in &steps {
                let told = language.words().went_back(step);
                assert!(told.ends_with(['.', '。']), "{told}");
            }
        }
    }
}
