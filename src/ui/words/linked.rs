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
            (Language::English, "") => "It is kept the same as the whole workspace, after each run, when you come back to this page, and when you press Sync. What .gitignore names and .git stay on their side.".into(),
            (Language::Chinese, "") => "它与整个工作区保持一致：每次运行后、回到本页时以及按“立即同步”时。.gitignore 所列内容和 .git 不同步。".into(),
            (Language::English, folder) => format!("It is kept the same as {folder}, after each run, when you come back to this page, and when you press Sync. What .gitignore names and .git stay on their side."),
            (Language::Chinese, folder) => format!("它与 {folder} 保持一致：每次运行后、回到本页时以及按“立即同步”时。.gitignore 所列内容和 .git 不同步。"),
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
            (LinkState::Failed(_), _) => self.pick("not in sync", "未同步").to_owned(),
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
            (LinkState::InSync, _) => self.pick("in sync", "已同步").to_owned(),
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
            LinkState::InSync if !view.gone_here.is_empty() || !view.gone_there.is_empty() => self
                .pick(
                    "Some files were deleted on one side. They are still on the other until you say so.",
                    "有文件在一边被删除。在你确认之前，另一边仍然保留。",
                ),
            LinkState::InSync => self.pick("Both sides are the same.", "两边内容一致。"),
            LinkState::Asks => self.pick(
                "The browser wants your leave to the folder again. Nothing is lost: both sides keep their changes until then. Press “Allow again”.",
                "浏览器需要你再次允许访问该文件夹。没有丢失内容：在此之前两边的更改都会保留。请按“再次允许”。",
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

    /// Why a file is not carried over.
    pub fn link_block(&self, block: Block) -> &'static str {
        match block {
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
        }
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
