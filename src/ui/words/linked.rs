//! A linked folder in words.

use super::units::{bytes, number};
use super::{Language, Words};
use crate::kernel::link::plan::Block;
use crate::protocol::{Conflict, LinkState, LinkView};

texts! {
    all_of_links;
    /// In the menu.
    link_folder: "Link a folder…", "关联文件夹…";
    /// In its place, where the browser has no such thing.
    link_instead: "This browser can't link a folder of the device. Add a folder, and download it as zip when the work is done.", "此浏览器无法关联设备上的文件夹。请添加文件夹，完成后下载为 zip。";
    /// Button.
    link_sync: "Sync now", "立即同步";
    /// Button, where leave is missing.
    link_allow: "Allow again", "再次允许";
    /// Button, while it goes on.
    link_stop: "Stop", "停止";
    /// Button, where the folder of the workspace is missing.
    link_put_back: "Put it back from the disk", "从磁盘恢复该文件夹";
    /// Button.
    link_unlink: "Unlink", "取消关联";
    /// Below it.
    link_unlink_hint: "Unlinking leaves all files where they are, on both sides.", "取消关联后，两边的文件都保持原样。";
    /// Title.
    link_conflicts: "Changed on both sides", "两边都有更改";
    /// Title.
    link_gone_here: "Deleted here, still on the disk", "此处已删除，磁盘上仍有";
    /// Title.
    link_gone_there: "Deleted on the disk, still here", "磁盘上已删除，此处仍有";
    /// Title.
    link_blocked: "Not carried over", "未同步";
    /// Button of a conflict.
    link_mine: "Keep mine", "保留此处的";
    /// Button of a conflict.
    link_theirs: "Keep the disk's", "保留磁盘上的";
    /// Button of a conflict.
    link_both: "Keep both", "两者都保留";
    /// Button.
    link_delete_there: "Delete on the disk", "从磁盘删除";
    /// Button.
    link_delete_here: "Delete here", "在此处删除";
    /// Button.
    link_back_here: "Bring back from the disk", "从磁盘恢复";
    /// Button.
    link_back_there: "Write to the disk again", "重新写入磁盘";
}

impl Words {
    /// What is linked.
    pub fn link_name(&self, name: &str) -> String {
        match self.language {
            Language::English => format!("Linked to {name}"),
            Language::Chinese => format!("已关联 {name}"),
        }
    }

    /// With what.
    pub fn link_of(&self, folder: &str) -> String {
        match (self.language, folder) {
            (Language::English, "") => "It is kept the same as the whole workspace, before and after each run, when you come back to this page, and when you press Sync. What .gitignore names and .git stay on their side.".into(),
            (Language::Chinese, "") => "它与整个工作区保持一致：每次运行前后、回到本页时以及按“立即同步”时。.gitignore 所列内容和 .git 不同步。".into(),
            (Language::English, folder) => format!("It is kept the same as {folder}, before and after each run, when you come back to this page, and when you press Sync. What .gitignore names and .git stay on their side."),
            (Language::Chinese, folder) => format!("它与 {folder} 保持一致：每次运行前后、回到本页时以及按“立即同步”时。.gitignore 所列内容和 .git 不同步。"),
        }
    }

    /// How it stands, in a few words; `ahead` files changed here since.
    pub fn link_line(&self, view: &LinkView, ahead: usize) -> String {
        let english = self.language == Language::English;
        let gone = view.gone_here.len() + view.gone_there.len();
        let count = |n: usize| number(n as u64);
        match (&view.state, view.conflicts.len()) {
            (LinkState::Syncing { all: 0, .. }, _) => {
                self.pick("comparing…", "正在比较…").to_owned()
            }
            (LinkState::Syncing { done, all }, _) => {
                format!("{} / {}", number(*done), number(*all))
            }
            (LinkState::Asks, _) => self
                .pick("needs your leave again", "需要再次允许")
                .to_owned(),
            (LinkState::Gone, _) => self.pick("folder not found", "找不到文件夹").to_owned(),
            (LinkState::DiskFull, _) => self.pick("disk full", "磁盘已满").to_owned(),
            (LinkState::StoreFull, _) => self.pick("storage full", "存储已满").to_owned(),
            (LinkState::Failed(_) | LinkState::Busy, _) => {
                self.pick("not in sync", "未同步").to_owned()
            }
            (LinkState::Stopped, _) => self.pick("stopped", "已停止").to_owned(),
            (LinkState::Missing, _) => self
                .pick("folder missing here", "此处的文件夹已不在")
                .to_owned(),
            (LinkState::Silent(_), _) => self
                .pick("the disk gives no answer", "磁盘无响应")
                .to_owned(),
            (LinkState::InSync, 1) if english => "1 conflict".to_owned(),
            (LinkState::InSync, n) if n > 0 && english => format!("{} conflicts", count(n)),
            (LinkState::InSync, n) if n > 0 => format!("{} 处冲突", count(n)),
            (LinkState::InSync, _) if gone == 1 && english => "1 deletion to settle".to_owned(),
            (LinkState::InSync, _) if gone > 0 && english => {
                format!("{} deletions to settle", count(gone))
            }
            (LinkState::InSync, _) if gone > 0 => format!("{} 项删除待确认", count(gone)),
            (LinkState::InSync, _) if ahead == 1 && english => "1 change to write".to_owned(),
            (LinkState::InSync, _) if ahead > 0 && english => {
                format!("{} changes to write", count(ahead))
            }
            (LinkState::InSync, _) if ahead > 0 => format!("{} 项更改待写入", count(ahead)),
            (LinkState::InSync, _) => match view.blocked.len() {
                0 => self.pick("in sync", "已同步").to_owned(),
                1 if english => "1 file not in sync".to_owned(),
                n if english => format!("{} files not in sync", count(n)),
                n => format!("{} 个文件未同步", count(n)),
            },
        }
    }

    /// How it stands, what that means, and what to press.
    pub fn link_state(&self, view: &LinkView) -> String {
        let english = self.language == Language::English;
        let told = match &view.state {
            LinkState::Syncing { .. } => self.pick(
                "Both sides are being compared. Nothing is deleted without asking you.",
                "正在比较两边的文件。未经你确认不会删除任何内容。",
            ),
            LinkState::InSync if !view.conflicts.is_empty() => self.pick(
                "Some files were changed on both sides. Neither was touched: choose what shall be.",
                "有文件在两边都被更改，均未改动。请选择如何处理。",
            ),
            LinkState::InSync if view.is_emptied && !view.gone_there.is_empty() => self.pick(
                "Nothing is left in the folder on the disk. If you did not empty it, its drive may be missing: connect it and sync again. Nothing is deleted here until you say so.",
                "磁盘上的文件夹已空。如果不是你清空的，可能是所在磁盘未连接：请连接后重新同步。在你确认之前，此处不会删除任何内容。",
            ),
            LinkState::InSync if !view.gone_here.is_empty() || !view.gone_there.is_empty() => self
                .pick(
                    "Some files were deleted on one side. They are still on the other until you say so.",
                    "有文件在一边被删除。在你确认之前，另一边仍然保留。",
                ),
            LinkState::InSync if !view.blocked.is_empty() => return self.all_but(&view.blocked),
            LinkState::InSync => self.pick("Both sides are the same.", "两边内容一致。"),
            LinkState::Stopped => self.pick(
                "You stopped it. What was carried over is whole, and the rest is as it was on both sides. Sync again when you like.",
                "已按你的要求停止。已同步的文件都完整，其余内容两边保持原样。可随时重新同步。",
            ),
            LinkState::Busy => self.pick(
                "Files kept changing on one side, so the two could not be compared. Nothing is lost. Sync again once that has ended.",
                "有一边的文件不断变化，无法比较。没有丢失内容。请在变化停止后重新同步。",
            ),
            LinkState::Missing => {
                let folder = &view.folder;
                return match english {
                    true => format!("The folder {folder} is gone from this workspace. Nothing was deleted on the disk, and nothing will be. Put the folder back from the disk, or unlink."),
                    false => format!("此工作区中的文件夹 {folder} 已不在。磁盘上的内容没有也不会被删除。请从磁盘恢复该文件夹，或取消关联。"),
                };
            }
            LinkState::Silent(at) => {
                let at = match (at.as_str(), english) {
                    ("", _) => String::new(),
                    (at, true) => format!(" when it was asked for {at}"),
                    (at, false) => format!("（{at}）"),
                };
                return match english {
                    true => format!("The disk gave no answer in time{at}. What was carried over is whole, and the rest is as it was on both sides. Check the drive or the network, then sync again, or unlink."),
                    false => format!("磁盘未及时响应{at}。已同步的文件都完整，其余内容两边保持原样。请检查磁盘或网络后重新同步，或取消关联。"),
                };
            }
            LinkState::Asks => self.pick(
                "This page has no leave to the folder any more. Nothing is lost: both sides keep their changes until you give it again. Press “Allow again”.",
                "本页已没有访问该文件夹的权限。没有丢失内容：在你再次允许之前，两边的更改都会保留。请按“再次允许”。",
            ),
            LinkState::Gone => self.pick(
                "The folder was not found: it was moved, deleted or is on a drive that is not there. The files here are safe. Put it back and sync, or unlink and link it anew.",
                "找不到该文件夹：它可能已被移动、删除，或所在的磁盘未连接。此处的文件完好。请将其恢复后同步，或取消关联后重新关联。",
            ),
            LinkState::DiskFull => self.pick(
                "The disk is full, so not everything was written there. No file is half-written, and all is safe here. Free some disk space, then sync again.",
                "磁盘已满，未能全部写入。没有写了一半的文件，此处的内容都完好。请清理磁盘后重新同步。",
            ),
            LinkState::StoreFull => self.pick(
                "The browser's storage is full, so not everything was taken in. Nothing is half-done, and all is safe on the disk. Free some space, then sync again.",
                "浏览器存储已满，未能全部读入。没有半途而废的内容，磁盘上的文件都完好。请释放空间后重新同步。",
            ),
            LinkState::Failed(reason) => {
                return match english {
                    true => format!("Broken off: {reason}. What was carried over is whole, the rest is as it was on both sides. Sync again."),
                    false => format!("已中断：{reason}。已同步的文件都完整，其余内容两边保持原样。请重新同步。"),
                };
            }
        };
        told.to_owned()
    }

    /// What a conflict is between.
    pub fn link_sizes(&self, conflict: &Conflict) -> String {
        let side = |size: Option<u64>| match size {
            Some(size) => bytes(size),
            None => self.pick("deleted", "已删除").to_owned(),
        };
        let (here, there) = (side(conflict.here), side(conflict.there));
        match self.language {
            Language::English => format!("here: {here} · on the disk: {there}"),
            Language::Chinese => format!("此处：{here} · 磁盘：{there}"),
        }
    }

    /// That all is the same but for a few, which are named.
    fn all_but(&self, blocked: &[(String, Block)]) -> String {
        const NAMED: usize = 3;
        let comma = self.pick(", ", "、");
        let names = blocked.iter().take(NAMED).map(|(path, _)| path.as_str());
        let names = names.collect::<Vec<_>>().join(comma);
        let more = match blocked.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => self.pick(" ", "，").to_owned() + &self.link_more(more),
        };
        let all = number(blocked.len() as u64);
        match (self.language, blocked.len()) {
            (Language::English, 1) => {
                format!("Both sides are the same but for one file: {names}. Below is why.")
            }
            (Language::English, _) => {
                format!("Both sides are the same but for {all} files: {names}{more}. Below is why.")
            }
            (Language::Chinese, _) => {
                format!("除 {all} 个文件外，两边内容一致：{names}{more}。原因见下。")
            }
        }
    }

    /// Why a file is not carried over.
    pub fn link_block(&self, block: &Block) -> String {
        let why = match block {
            Block::Case => self.pick(
                "another one has this name but for capitals, and many disks keep only one; rename one",
                "与另一项仅大小写不同，许多磁盘只能保留其一；请重命名",
            ),
            Block::Kind => self.pick(
                "it is a file on one side and a folder on the other; rename one",
                "一边是文件，另一边是文件夹；请重命名",
            ),
            Block::TooLarge => self.pick("it is larger than 100 MB", "超过 100 MB"),
            Block::Name => self.pick(
                "the other side takes no such name; rename it",
                "另一边不接受此名称；请重命名",
            ),
            Block::Rules => self.pick(
                "it holds more rules than are read (256 KB, 5,000 lines), so its folder is left as it is; shorten it",
                "规则超出可读取的数量（256 KB、5,000 行），其所在文件夹保持原样；请缩短",
            ),
            Block::Unreadable(reason) if reason.is_empty() => self.pick(
                "the device does not let it be read; change who may read it",
                "设备不允许读取；请更改其读取权限",
            ),
            Block::NotWritten(reason) if reason.is_empty() => self.pick(
                "the device does not let it be changed; change who may write it",
                "设备不允许更改；请更改其写入权限",
            ),
            Block::Unreadable(reason) => {
                return match self.language {
                    Language::English => format!("it can't be read on the disk ({reason})"),
                    Language::Chinese => format!("无法从磁盘读取（{reason}）"),
                };
            }
            Block::NotWritten(reason) => {
                return match self.language {
                    Language::English => format!("it was not changed on the disk ({reason})"),
                    Language::Chinese => format!("未能在磁盘上更改（{reason}）"),
                };
            }
        };
        why.to_owned()
    }

    /// A file that is not carried over, and why.
    pub fn link_blocked_line(&self, path: &str, why: &str) -> String {
        match self.language {
            Language::English => format!("{path}: {why}"),
            Language::Chinese => format!("{path}：{why}"),
        }
    }

    /// The rest of a list.
    pub fn link_more(&self, more: usize) -> String {
        let more = number(more as u64);
        match self.language {
            Language::English => format!("and {more} more"),
            Language::Chinese => format!("另有 {more} 项"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn every_state_has_a_line_and_words() {
        let states = [
            LinkState::Syncing { done: 0, all: 0 },
            LinkState::Syncing { done: 3, all: 40 },
            LinkState::InSync,
            LinkState::Asks,
            LinkState::Gone,
            LinkState::DiskFull,
            LinkState::StoreFull,
            LinkState::Failed("it hangs".into()),
            LinkState::Stopped,
            LinkState::Missing,
            LinkState::Silent(String::new()),
            LinkState::Silent("a/b".into()),
            LinkState::Busy,
        ];
        let mut view = LinkView {
            id: "1".into(),
            name: "site".into(),
            folder: String::new(),
            state: LinkState::InSync,
            conflicts: Vec::new(),
            gone_here: Vec::new(),
            gone_there: Vec::new(),
            blocked: Vec::new(),
            is_emptied: false,
        };
        for language in BOTH {
            for state in &states {
                view.state = state.clone();
                let words = language.words();
                assert!(!words.link_line(&view, 0).is_empty());
                assert!(words.link_state(&view).ends_with(['.', '。', '”']));
            }
            for text in language.words().all_of_links() {
                assert!(!text.contains(['!', '！']), "{text}");
            }
        }
        view.state = LinkState::InSync;
        let english = Language::English.words();
        assert_eq!(english.link_line(&view, 0), "in sync");
        assert_eq!(english.link_line(&view, 3), "3 changes to write");
        let blocked = |path: &str| (path.to_owned(), Block::Kind);
        view.blocked = vec![blocked("a")];
        assert_eq!(english.link_line(&view, 0), "1 file not in sync");
        assert!(english.link_state(&view).contains("but for one file: a."));
        view.blocked = ["a", "b", "c", "d", "e"].map(blocked).into();
        assert_eq!(english.link_line(&view, 0), "5 files not in sync");
        assert!(
            english
                .link_state(&view)
                .contains("5 files: a, b, c and 2 more.")
        );
        view.gone_there = vec!["a".into()];
        assert_eq!(english.link_line(&view, 3), "1 deletion to settle");
        let (here, there) = (Some(1_200), None);
        let (path, mark) = ("a".into(), "m".into());
        let conflict = Conflict {
            path,
            here,
            there,
            mark,
        };
        assert_eq!(
            english.link_sizes(&conflict),
            "here: 1.2 KB · on the disk: deleted"
        );
        view.conflicts = vec![conflict];
        assert_eq!(english.link_line(&view, 3), "1 conflict");
    }
}
