//! Words for making room, and for what happens when there is none.

use super::units::bytes;
use super::{Language, Words};
use crate::protocol::{Freeable, Room, Weight};

texts! {
    all_of_room;
    /// Title and button.
    room_title: "Free space", "释放空间";
    /// While it is looked.
    room_weighing: "Looking what takes up room…", "正在查看占用情况…";
    /// Where there is nothing to remove.
    room_nothing: "There is nothing to remove here but your files. Download those you don't need here and delete them, then free the history.", "除你的文件外没有可删除的内容。请下载并删除不再需要的文件，然后释放历史记录。";
    /// Below the list.
    room_elsewhere: "What a browser gives depends on the free space of the disk: emptying that helps too.", "浏览器可用的空间取决于磁盘的剩余空间，清理磁盘也有帮助。";
    /// Button of a line.
    room_free: "Remove", "删除";
    /// The same, pressed once.
    room_sure: "Remove for good", "永久删除";
    /// A change was not saved, since there is no room.
    room_full: "The browser's storage is full, so the last change was not saved. All that was saved before is safe. Free some space, then do it again.", "浏览器存储已满，刚才的更改未保存。此前保存的内容都完好。请释放空间后重做。";
    /// The same, of a file.
    room_full_file: "The browser's storage is full, so nothing was changed and nothing is lost. Free some space, then do it again.", "浏览器存储已满，未作任何更改，也没有丢失内容。请释放空间后重做。";
    /// The same, of a text in the editor.
    room_full_edit: "The browser's storage is full, so this text was not saved. It stays here as long as this page is open. Free some space, then try again; or download it.", "浏览器存储已满，此文本未保存。只要不关闭本页，文本就会保留在这里。请释放空间后重试，或先下载。";
    /// The end of a run.
    room_full_run: "The browser's storage is full, so the run was stopped. Nothing is half-done: what was shown as done before is saved, the last step is not. Free some space, then try again.", "浏览器存储已满，运行已停止。没有半途而废的内容：此前显示为完成的都已保存，最后一步未保存。请释放空间后重试。";
    /// Taking over from another tab without room.
    room_full_tab: "The browser's storage is full, so this tab couldn't take over. Nothing is lost, and the other tab goes on. Press Free space there, or close that tab: then this one writes by itself.", "浏览器存储已满，本页无法接手。没有丢失任何内容，另一个标签页照常工作。请在那里点“释放空间”，或关闭那个标签页，本页随后会自动接手。";
    /// Taking over where the storage fails.
    room_failed_tab: "This tab couldn't take over, since the browser's storage did not answer. Nothing is lost, and it follows as before. Press Take over again; if that doesn't help, reload the page.", "浏览器存储没有响应，本页无法接手。没有丢失任何内容，本页照旧跟随显示。请再点一次“接手”；如果不行，请刷新页面。";
}

impl Words {
    /// Why this tab did not become the one that writes; without a reason it is for want of
    /// room.
    pub fn not_taken_over(&self, reason: &str) -> &'static str {
        match reason {
            "" => self.room_full_tab(),
            _ => self.room_failed_tab(),
        }
    }
}

impl Words {
    /// How full it is, and what of that the files are.
    pub fn room_told(&self, room: Option<Room>, files: u64) -> String {
        let english = self.language == Language::English;
        let files = bytes(files);
        match room.map(|room| (bytes(room.used), bytes(room.quota), bytes(room.free()))) {
            Some((used, quota, free)) if english => {
                format!("{used} of {quota} in use, {free} free. Your files are {files} of that.")
            }
            Some((used, quota, free)) => {
                format!("已用 {used}，共 {quota}，剩余 {free}。其中文件占 {files}。")
            }
            None if english => format!("Your files are {files}."),
            None => format!("文件占 {files}。"),
        }
    }

    /// Something is still there; `reason` is empty where there was no room for it.
    pub fn room_failed(&self, reason: &str) -> String {
        match (self.language, reason) {
            (Language::English, "") => "There is not even room to note that it is gone, so it is still there. Remove traces or a session first; they go without.".into(),
            (Language::Chinese, "") => "连记录删除结果的空间都没有，因此内容仍在。请先删除轨迹或会话，它们无需额外空间。".into(),
            (Language::English, reason) => format!("It is still there: {reason}. Try again."),
            (Language::Chinese, reason) => format!("内容仍在：{reason}。请重试。"),
        }
    }

    /// There is little room left.
    pub fn room_low(&self, free: u64) -> String {
        let free = bytes(free);
        match self.language {
            Language::English => format!(
                "There is room for {free} more. What is there is safe; free some space before more comes in."
            ),
            Language::Chinese => {
                format!("只剩 {free} 空间。已有内容是安全的；请在添加更多内容前释放空间。")
            }
        }
    }

    /// An import had no room; goes on behind a colon.
    pub(super) fn room_lacking(&self, lacks: Option<u64>) -> String {
        match (self.language, lacks.map(bytes)) {
            (Language::English, Some(lacks)) => format!(
                "the browser's storage is full, at least {lacks} more are needed. Nothing of it was kept; free some space, then add it again"
            ),
            (Language::Chinese, Some(lacks)) => format!(
                "浏览器存储已满，至少还需要 {lacks}。未保留其中任何内容。请释放空间后重新添加"
            ),
            (Language::English, None) => "the browser's storage is full. Nothing of it was kept; free some space, then add it again".into(),
            (Language::Chinese, None) => "浏览器存储已满，未保留其中任何内容。请释放空间后重新添加".into(),
        }
    }

    /// A size.
    pub fn size(&self, size: u64) -> String {
        bytes(size)
    }

    /// What can go. `None`: the shell's code.
    pub fn room_name(&self, what: Option<&Freeable>, weight: &Weight) -> String {
        let (english, chinese) = match what {
            None => ("The shell's code", "Shell 代码"),
            Some(Freeable::OldHistory) => ("Old history", "较早的历史"),
            Some(Freeable::History) => (
                "All history, deleted files too",
                "全部历史，包括已删除的文件",
            ),
            Some(Freeable::Traces) => ("Traces", "轨迹"),
            Some(Freeable::TakenBack) => {
                ("What was taken back in conversations", "会话中撤回的部分")
            }
            Some(Freeable::Session(_)) => match weight.title.trim() {
                "" => (self.session_untitled, self.session_untitled),
                title => (title, title),
            },
        };
        self.pick(english, chinese).to_owned()
    }

    /// What is lost with it.
    pub fn room_loss(&self, what: Option<&Freeable>, moment: &str) -> String {
        let (english, chinese) = match what {
            None => (
                "Nothing: it is fetched again when a command runs.",
                "没有损失：执行命令时会重新获取。",
            ),
            Some(Freeable::OldHistory) => (
                "Changes before the last 20 can't be undone or looked at any more. The files stay.",
                "最近 20 次之前的更改将无法撤销或查看。文件保留。",
            ),
            Some(Freeable::History) => (
                "No change so far can be undone, and deleted files can't be brought back. The files that are there stay.",
                "此前的更改都将无法撤销，已删除的文件无法恢复。现有文件保留。",
            ),
            Some(Freeable::Traces) => (
                "Requests and times of past rounds can't be looked at any more. Conversations stay.",
                "过去各轮的请求和用时将无法查看。会话保留。",
            ),
            Some(Freeable::TakenBack) => (
                "It can't be brought in again. What stands in the conversations stays.",
                "将无法重新带回。会话中现有的内容保留。",
            ),
            Some(Freeable::Session(_)) => {
                return match self.language {
                    Language::English => format!(
                        "Session of {moment}: its conversation and trace go. The files it made stay."
                    ),
                    Language::Chinese => {
                        format!("{moment}的会话：其对话和轨迹将被删除，它生成的文件保留。")
                    }
                };
            }
        };
        self.pick(english, chinese).to_owned()
    }

    /// The name of a line's button, for readers.
    pub fn room_press(&self, name: &str) -> String {
        match self.language {
            Language::English => format!("Remove: {name}"),
            Language::Chinese => format!("删除：{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn what_happened_and_what_it_means_is_told_with_numbers() {
        let english = Language::English.words();
        let room = Room {
            used: 30_000_000,
            quota: 50_000_000,
        };
        assert_eq!(
            english.room_told(Some(room), 12_000_000),
            "30 MB of 50 MB in use, 20 MB free. Your files are 12 MB of that."
        );
        assert_eq!(
            english.room_lacking(Some(41_000_000)),
            "the browser's storage is full, at least 41 MB more are needed. Nothing of it was kept; free some space, then add it again"
        );
        for language in BOTH {
            let words = language.words();
            for text in words.all_of_room() {
                assert!(!text.is_empty() && !text.contains(['!', '！']), "{text}");
            }
            assert!(words.room_low(1_000_000).contains("1 MB"));
            assert!(words.room_failed("closed").contains("closed"));
        }
    }
}
