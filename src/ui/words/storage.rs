//! Words for the browser's storage: how full it is, and whether it stays.

use super::units::bytes;
use super::{Language, Words};

impl Words {
    /// The title of the part of the settings.
    pub fn storage_title(&self) -> &'static str {
        match self.language {
            Language::English => "Storage",
            Language::Chinese => "存储",
        }
    }

    /// How much of the room is in use: bytes used and bytes there are.
    pub fn room_used(&self, used: u64, quota: u64) -> String {
        let (used, quota) = (bytes(used), bytes(quota));
        match self.language {
            Language::English => format!("{used} in use; the browser gives up to {quota}."),
            Language::Chinese => format!("已用 {used}；浏览器最多提供 {quota}。"),
        }
    }

    /// Said where the browser does not tell.
    pub fn room_unknown(&self) -> &'static str {
        match self.language {
            Language::English => "This browser doesn't tell how much room there is.",
            Language::Chinese => "此浏览器不提供剩余空间信息。",
        }
    }

    /// How long what is stored stays, and what to do.
    pub fn stays(&self, stays: Stays) -> &'static str {
        let english = self.language == Language::English;
        match stays {
            Stays::ForGood if english => {
                "Files and sessions stay until you remove them or clear this site's data."
            }
            Stays::ForGood => "文件和会话会一直保留，直到你删除它们或清除本站数据。",
            Stays::AsLongAsThereIsRoom if english => {
                "The browser may clear files and sessions when the disk is full. Ask it to keep them."
            }
            Stays::AsLongAsThereIsRoom => "磁盘空间不足时，浏览器可能清除文件和会话。请让它保留。",
            Stays::Refused if english => {
                "The browser didn't agree. It does once you use this page more or install it; until then, export what matters."
            }
            Stays::Refused => {
                "浏览器未同意。多使用本页或将其安装后通常会同意；在此之前，请导出重要内容。"
            }
        }
    }

    /// The button that asks the browser.
    pub fn keep_stored(&self) -> &'static str {
        match self.language {
            Language::English => "Keep my files",
            Language::Chinese => "保留我的文件",
        }
    }
}

/// How long what is stored stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// Until the user removes it.
    ForGood,
    /// Until the browser needs the space.
    AsLongAsThereIsRoom,
    /// The same, and the browser was asked just now.
    Refused,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_told_in_both_languages() {
        let english = Language::English.words();
        assert_eq!(
            english.room_used(1_234_567, 10_000_000_000),
            "1.2 MB in use; the browser gives up to 10 GB."
        );
        let chinese = Language::Chinese.words();
        assert_eq!(
            chinese.room_used(0, 2_000),
            "已用 0 B；浏览器最多提供 2 KB。"
        );
    }
}
