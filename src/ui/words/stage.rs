//! Words for scripts and pages that run in a closed frame.

use super::{Language, Words};
use crate::protocol::Gone;

impl Words {
    fn either(&self, english: &'static str, chinese: &'static str) -> &'static str {
        match self.language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// The tab, and the button that opens it.
    pub fn preview(&self) -> &'static str {
        self.either("Preview", "预览")
    }

    /// A mark of its tab: a page came, and was not looked at.
    pub fn preview_new(&self) -> &'static str {
        self.either("New", "新")
    }

    /// Runs the page anew.
    pub fn preview_reload(&self) -> &'static str {
        self.either("Reload the preview", "重新载入预览")
    }

    /// Closes the page.
    pub fn preview_close(&self) -> &'static str {
        self.either("Close the preview", "关闭预览")
    }

    /// Why there is no page to be seen.
    pub fn preview_gone(&self, gone: Gone) -> &'static str {
        match gone {
            Gone::NotLoaded => self.either(
                "The preview could not be loaded. Your files are safe. Check your connection, then reload the page.",
                "预览未能载入。你的文件完好。请检查网络连接，然后刷新页面。",
            ),
            Gone::Silent => self.either(
                "The page stopped answering and was closed, most likely because of a loop without an end. Your files are safe.",
                "页面停止响应，已被关闭，很可能是出现了死循环。你的文件完好。",
            ),
            Gone::TooMuch => self.either(
                "The page sent more than a preview may and was closed. Your files are safe.",
                "页面发送的内容超出预览上限，已被关闭。你的文件完好。",
            ),
            Gone::Closed => self.either(
                "The preview was ended. Your files are safe.",
                "预览已结束。你的文件完好。",
            ),
        }
    }
}
