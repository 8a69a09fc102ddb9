//! Files that came in and go out, in words.

use super::units::{bytes, number};
use super::{Language, Words};
use crate::protocol::{LeftOut, Progress, Report, Why};

/// Lines of a list that are shown.
const MOST_LINES: usize = 500;

impl Words {
    /// Opens the ways that are wanted less often.
    pub fn import_more(&self) -> &'static str {
        self.pick("More ways to add", "其他添加方式")
    }

    /// Chooses a folder.
    pub fn import_folder(&self) -> &'static str {
        self.pick("Folder…", "文件夹…")
    }

    /// Asks for the address of a repository.
    pub fn import_repository(&self) -> &'static str {
        self.pick("Public GitHub repository", "GitHub 公开仓库")
    }

    /// Such an address.
    pub fn repository_hint(&self) -> &'static str {
        self.pick("github.com/owner/name", "github.com/所有者/名称")
    }

    /// Hands all files out.
    pub fn export_zip(&self) -> &'static str {
        self.pick("Download all as zip", "全部下载为 zip")
    }

    /// Stops what comes in or goes out.
    pub fn transfer_stop(&self) -> &'static str {
        self.pick("Stop", "停止")
    }

    /// What came of an import, in a line or two.
    pub fn imported(&self, report: &Report) -> String {
        let english = self.language == Language::English;
        let mut told = Vec::new();
        let places = report.places.join(", ");
        if report.files > 0 || report.left_out.is_empty() && report.known == 0 {
            told.push(match (english, report.files) {
                (true, 1) => format!("1 file added: {places}."),
                (true, n) if places.is_empty() => format!("{} files added.", number(n)),
                (true, n) => format!("{} files added: {places}.", number(n)),
                (false, n) if places.is_empty() => format!("已添加 {} 个文件。", number(n)),
                (false, n) => format!("已添加 {} 个文件：{places}。", number(n)),
            });
        }
        if report.known > 0 {
            told.push(match (english, report.known) {
                (true, 1) => "1 file was there already.".to_owned(),
                (true, n) => format!("{} files were there already.", number(n)),
                (false, n) => format!("{} 个文件已存在。", number(n)),
            });
        }
        match report.renamed.as_slice() {
            [] => {}
            [(old, new)] if english => told.push(format!("{old} is now called {new}.")),
            [(old, new)] => told.push(format!("{old} 现在名为 {new}。")),
            all if english => told.push(format!("{} got another name.", number(all.len() as u64))),
            all => told.push(format!("{} 个已改名。", number(all.len() as u64))),
        }
        match report.left_out.as_slice() {
            [] => {}
            [LeftOut { name, why }] if english => {
                told.push(format!("{name} was not added: {}.", self.why(why)));
            }
            [LeftOut { name, why }] => told.push(format!("未添加 {name}：{}。", self.why(why))),
            all if english => told.push(format!("{} were left out.", number(all.len() as u64))),
            all => told.push(format!("有 {} 项未添加。", number(all.len() as u64))),
        }
        told.join(self.pick(" ", ""))
    }

    /// All that is to be told of an import, a line each; empty where the line said it all.
    pub fn imported_details(&self, report: &Report) -> String {
        let mut lines = Vec::new();
        for LeftOut { name, why } in &report.left_out {
            lines.push(match self.language {
                Language::English => format!("{name}: {}", self.why(why)),
                Language::Chinese => format!("{name}：{}", self.why(why)),
            });
        }
        for (old, new) in &report.renamed {
            lines.push(format!("{old} → {new}"));
        }
        for (one, other) in &report.alike {
            let same = self.pick(
                "the same but for capitals or the form of accents; some systems keep only one",
                "仅大小写或重音符号的写法不同，有些系统只能保留其一",
            );
            lines.push(format!("{one}, {other}: {same}"));
        }
        let told_whole =
            report.alike.is_empty() && report.renamed.len() <= 1 && report.left_out.len() <= 1;
        if told_whole {
            return String::new();
        }
        let more = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        if more > 0 {
            lines.push(match self.language {
                Language::English => format!("and {} more", number(more as u64)),
                Language::Chinese => format!("另有 {} 项", number(more as u64)),
            });
        }
        lines.join("\n")
    }

    /// Why something was not taken in; goes on behind a colon.
    fn why(&self, why: &Why) -> String {
        let (english, chinese) = match why {
            Why::Outside => ("its name leads out of the workspace", "名称指向工作区之外"),
            Why::TooLong => ("its name is too long", "名称过长"),
            Why::BadName => ("its name can't be kept", "名称无法保存"),
            Why::Link => (
                "it is a link, and the workspace has none",
                "它是链接，工作区不支持链接",
            ),
            Why::Special => ("it is a device, not a file", "它是设备，不是文件"),
            Why::Encrypted => ("it is locked with a password", "它有密码保护"),
            Why::Unsupported => (
                "it is packed in a way Tabloop can't read",
                "其压缩方式无法读取",
            ),
            Why::Damaged => ("it is damaged", "已损坏"),
            Why::CutOff => (
                "its end is missing, so get a whole copy and add that",
                "文件不完整，请重新获取后再添加",
            ),
            Why::NotOne => (
                "it is not the archive its name says",
                "它不是名称所示的压缩包",
            ),
            Why::TooLarge => (
                "it is too large; a file may have 100 MB, an archive may come to 2 GB",
                "过大：单个文件最大 100 MB，压缩包解压后最大 2 GB",
            ),
            Why::Bomb => (
                "it would come to far more than its size tells, which archives meant to do harm do",
                "解压后远超其大小，疑似恶意压缩包",
            ),
            Why::TooMany => ("it has too many files", "文件过多"),
            Why::Twice => (
                "the archive has it twice, and the later one counts",
                "压缩包中有两份，取后一份",
            ),
            Why::Clash => ("a file and a folder have this name", "文件与文件夹同名"),
            Why::Unreadable => ("the browser couldn't read it", "浏览器无法读取"),
            Why::System => (
                "it only serves the system the archive was made on",
                "仅供制作压缩包的系统使用",
            ),
            Why::Submodule => ("it is another repository", "它是另一个仓库"),
            Why::Stopped => (
                "stopped, and nothing of it was kept",
                "已停止，未保留其中任何内容",
            ),
            Why::NoRepository => (
                "this is no address of a repository on GitHub, such as https://github.com/owner/name",
                "不是 GitHub 仓库地址，地址形如 https://github.com/owner/name",
            ),
            Why::NotFound => (
                "GitHub has no public repository there",
                "GitHub 上没有此公开仓库",
            ),
            Why::RateLimited(None) => (
                "GitHub takes no more requests from here for now. Wait up to an hour, or download its zip and drop it here",
                "GitHub 暂不接受更多请求。请最多等待一小时，或下载其 zip 后拖到这里",
            ),
            Why::Network => (
                "GitHub was not reached, or broke off. Nothing of it was kept; try again",
                "无法连接 GitHub 或连接中断，未保留其中任何内容，请重试",
            ),
            Why::Full(lacks) => return self.room_lacking(*lacks),
            Why::RateLimited(Some(minutes)) => {
                return match self.language {
                    Language::English => format!(
                        "GitHub takes no more requests from here for {minutes} min. Wait, or download its zip and drop it here"
                    ),
                    Language::Chinese => format!(
                        "GitHub 在 {minutes} 分钟内不接受更多请求。请等待，或下载其 zip 后拖到这里"
                    ),
                };
            }
            Why::Refused(status) => {
                return match self.language {
                    Language::English => {
                        format!("GitHub answered with status {status}; try again later")
                    }
                    Language::Chinese => format!("GitHub 返回状态 {status}，请稍后重试"),
                };
            }
            Why::NotSaved(reason) => {
                return match self.language {
                    Language::English => format!("{reason}. Nothing of it was kept; add it again"),
                    Language::Chinese => format!("{reason}。未保留其中任何内容，请重新添加"),
                };
            }
        };
        self.pick(english, chinese).to_owned()
    }

    /// Nothing was handed out.
    pub(super) fn not_exported(&self, reason: &str) -> &'static str {
        match (self.language, reason.is_empty()) {
            (Language::English, true) => {
                "That is more than a zip of 4 GB holds. Download folders one by one."
            }
            (Language::Chinese, true) => "超出 zip 的 4 GB 上限，请逐个下载文件夹。",
            (Language::English, false) => {
                "The zip couldn't be made, since a file couldn't be read. The files stay as they are; try again."
            }
            (Language::Chinese, false) => "有文件无法读取，未能生成 zip。文件保持不变，请重试。",
        }
    }

    /// What a transfer is at.
    pub fn transfer(&self, progress: &Progress) -> String {
        let Progress {
            is_out,
            name,
            files,
            done,
            all,
        } = progress;
        let (files, done) = (number(*files), bytes(*done));
        let amount = match (all, self.language) {
            (0, Language::English) => format!("{files} files"),
            (0, Language::Chinese) => format!("{files} 个文件"),
            (all, Language::English) => format!("{files} files, {done} of {}", bytes(*all)),
            (all, Language::Chinese) => format!("{files} 个文件，{done} / {}", bytes(*all)),
        };
        let doing = match is_out {
            true => self.pick("Packing", "正在打包"),
            false => self.pick("Adding", "正在添加"),
        };
        match name.as_str() {
            "" => format!("{doing} · {amount}"),
            name => format!("{doing} {name} · {amount}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    fn left_out(name: &str, why: Why) -> LeftOut {
        let name = name.to_owned();
        LeftOut { name, why }
    }

    #[test]
    fn a_report_tells_numbers_and_opens_to_names() {
        let mut report = Report {
            files: 312,
            places: vec!["proj (2)".into()],
            renamed: vec![("proj".into(), "proj (2)".into())],
            left_out: vec![
                left_out("a/link", Why::Link),
                left_out("../x", Why::Outside),
            ],
            ..Report::default()
        };
        let english = Language::English.words();
        assert_eq!(
            english.imported(&report),
            "312 files added: proj (2). proj is now called proj (2). 2 were left out."
        );
        assert_eq!(
            english.imported_details(&report),
            "a/link: it is a link, and the workspace has none\n\
             ../x: its name leads out of the workspace\nproj → proj (2)"
        );
        report.left_out = (0..600)
            .map(|n| left_out(&n.to_string(), Why::Link))
            .collect();
        assert!(english.imported_details(&report).ends_with("and 101 more"));
        let failed = Report {
            left_out: vec![left_out("x.zip", Why::CutOff)],
            ..Report::default()
        };
        assert_eq!(
            english.imported(&failed),
            "x.zip was not added: its end is missing, so get a whole copy and add that."
        );
        assert_eq!(english.imported_details(&failed), "");
    }

    #[test]
    fn every_reason_has_words() {
        let reasons = [
            Why::Outside,
            Why::TooLong,
            Why::BadName,
            Why::Special,
            Why::Encrypted,
            Why::Unsupported,
            Why::Damaged,
            Why::NotOne,
            Why::TooLarge,
            Why::Bomb,
            Why::TooMany,
            Why::Twice,
            Why::Clash,
            Why::Unreadable,
            Why::System,
            Why::Submodule,
            Why::Stopped,
            Why::Full(None),
            Why::Full(Some(2_000_000)),
            Why::NotSaved("full".into()),
            Why::NoRepository,
            Why::NotFound,
            Why::RateLimited(None),
            Why::RateLimited(Some(3)),
            Why::Refused(500),
            Why::Network,
        ];
        for language in BOTH {
            for why in &reasons {
                assert!(language.words().why(why).chars().count() > 2, "{why:?}");
            }
        }
    }
}
