//! Texts with numbers or names in them, both languages side by side.

use super::units::{bytes, duration, number, short_number};
use super::{Language, Words};
use crate::kernel::settings::{OptionField, Problem};
use crate::protocol::Field;
use crate::ui::state::calls::{Act, CallLine, Note};
use crate::ui::state::days::Day;
use crate::ui::state::transcript::{CallState, Tally};

/// `one` for 1, else the number and `many`.
fn count(n: u64, one: &str, many: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {many}", number(n)),
    }
}

impl Words {
    fn is_english(&self) -> bool {
        self.language == Language::English
    }

    /// How many files there are, and how large they are together.
    pub fn files_total(&self, files: usize, size: u64) -> String {
        let size = bytes(size);
        match self.language {
            Language::English => format!("{} · {size}", count(files as u64, "file", "files")),
            Language::Chinese => format!("{} 个文件 · {size}", number(files as u64)),
        }
    }

    /// How much of a text is not shown.
    pub fn left_out(&self, size: u64) -> String {
        let size = bytes(size);
        match self.language {
            Language::English => format!("{size} more are not shown."),
            Language::Chinese => format!("还有 {size} 未显示。"),
        }
    }

    /// Rounds of a run.
    pub fn rounds(&self, n: u32) -> String {
        match self.language {
            Language::English => count(n.into(), "round", "rounds"),
            Language::Chinese => format!("{} 轮", number(n.into())),
        }
    }

    /// The name of a round for readers.
    pub fn round(&self, n: u32) -> String {
        match self.language {
            Language::English => format!("Round {n}"),
            Language::Chinese => format!("第 {n} 轮"),
        }
    }

    /// Tokens of a run.
    pub fn tokens(&self, n: u64) -> String {
        match self.language {
            Language::English => count(n, "token", "tokens"),
            Language::Chinese => format!("{} 个 token", number(n)),
        }
    }

    /// The meter over a conversation.
    pub fn meter(&self, tally: Tally) -> String {
        let all = tally.usage.prompt_tokens + tally.usage.completion_tokens;
        match (tally.counted, self.language) {
            (0, _) => self.no_count.to_owned(),
            (_, Language::English) => format!("{} tokens", short_number(all)),
            (_, Language::Chinese) => format!("{} 个 token", short_number(all)),
        }
    }

    /// What the meter's number is made of.
    pub fn meter_detail(&self, tally: Tally) -> String {
        let sent = number(tally.usage.prompt_tokens);
        let received = number(tally.usage.completion_tokens);
        match (tally.counted, self.language) {
            (0, _) => self.meter_title.to_owned(),
            (_, Language::English) => {
                format!("{sent} tokens sent, {received} received in this session")
            }
            (_, Language::Chinese) => format!("本会话发送 {sent} 个 token，接收 {received} 个"),
        }
    }

    /// The head of a round with many calls.
    pub fn tool_calls(&self, calls: usize, failed: usize) -> String {
        let calls = calls as u64;
        match (self.language, failed) {
            (Language::English, 0) => count(calls, "tool call", "tool calls"),
            (Language::English, n) => {
                format!("{}, {n} failed", count(calls, "tool call", "tool calls"))
            }
            (Language::Chinese, 0) => format!("{calls} 次工具调用"),
            (Language::Chinese, n) => format!("{calls} 次工具调用，{n} 次失败"),
        }
    }

    /// The same where all did one thing, each to a file.
    pub fn files_done(&self, act: Act, files: usize) -> String {
        let verb = self.verb(act, CallState::Ok);
        match self.language {
            Language::English => format!("{verb} {}", count(files as u64, "file", "files")),
            Language::Chinese => format!("{verb} {files} 个文件"),
        }
    }

    /// What a call does or did.
    pub fn verb(&self, act: Act, state: CallState) -> &'static str {
        let [done, doing, could_not] = match act {
            Act::List => [self.listed, self.listing, self.not_listed],
            Act::Read => [self.read, self.reading, self.not_read],
            Act::Write => [self.wrote, self.writing, self.not_written],
            Act::Append => [self.appended, self.appending, self.not_appended],
            Act::Edit => [self.edited, self.editing, self.not_edited],
            Act::Find => [self.found, self.finding, self.not_found_files],
            Act::Search => [self.searched, self.searching, self.not_searched],
            Act::MakeDir => [self.made_dir, self.making_dir, self.not_made_dir],
            Act::Move => [self.moved, self.moving, self.not_moved],
            Act::Copy => [self.copied_file, self.copying_file, self.not_copied_file],
            Act::Delete => [self.deleted, self.deleting, self.not_deleted],
            Act::Patch => [self.patched, self.patching, self.not_patched],
            Act::Finish => [self.handed_in, self.handing_in, self.not_handed_in],
            Act::Todo => [self.set_steps, self.setting_steps, self.not_set_steps],
            Act::Ask => [self.asked, self.asks, self.not_asked],
            Act::Recall => [self.recalled, self.recalling, self.not_recalled],
            Act::Task => [self.delegated, self.delegating, self.not_delegated],
            Act::Calculate | Act::Fetch => self.reckoned_or_fetched(act),
            Act::Shell => self.ran(),
            Act::Script | Act::Preview => self.stage_verbs(act),
            Act::Other => [self.called, self.calling, self.not_called],
        };
        match state {
            CallState::Ok => done,
            CallState::Waiting | CallState::Asking | CallState::Running => doing,
            CallState::Error | CallState::Denied => could_not,
        }
    }

    /// The same of what runs foreign code.
    fn stage_verbs(&self, act: Act) -> [&'static str; 3] {
        match (act, self.language) {
            (Act::Preview, Language::English) => ["Previewed", "Previewing", "Couldn't preview"],
            (Act::Preview, Language::Chinese) => ["预览了", "正在预览", "未能预览"],
            (_, Language::English) => ["Ran script", "Running script", "Script failed"],
            (_, Language::Chinese) => ["运行了脚本", "正在运行脚本", "脚本失败"],
        }
    }

    /// What a call is about.
    pub fn object(&self, line: &CallLine) -> String {
        match (line.act, line.object.is_empty()) {
            (Act::List, true) => self.the_workspace.to_owned(),
            _ => line.object.clone(),
        }
    }

    /// What came of a call, in three words.
    pub fn note(&self, note: Note) -> String {
        match (note, self.language) {
            (Note::None, _) => String::new(),
            (Note::Exit(code), _) => self.exit_code(code),
            (Note::Errors(n), Language::English) => count(n as u64, "error", "errors"),
            (Note::Errors(n), Language::Chinese) => format!("{n} 个错误"),
            (Note::Lines(n), Language::English) => count(n as u64, "line", "lines"),
            (Note::Lines(n), Language::Chinese) => format!("{n} 行"),
            (Note::Entries(n), Language::English) => count(n as u64, "entry", "entries"),
            (Note::Entries(n), Language::Chinese) => format!("{n} 项"),
            (Note::Matches(n), Language::English) => count(n as u64, "match", "matches"),
            (Note::Matches(n), Language::Chinese) => format!("{n} 处匹配"),
            (Note::Steps { done, of }, _) => self.steps_done(done, of),
            (Note::Changed { plus, minus: 0 }, _) => format!("+{plus}"),
            (Note::Changed { plus, minus }, _) => format!("+{plus} −{minus}"),
        }
    }

    /// The state of a call, for those who can't see its icon.
    pub fn call_state(&self, state: CallState) -> &'static str {
        match state {
            CallState::Waiting => self.waiting,
            CallState::Running => self.running,
            CallState::Ok => "",
            CallState::Asking => self.asking,
            CallState::Error => self.failed,
            CallState::Denied => self.denied,
        }
    }

    /// A call whose arguments are still coming.
    pub fn drafting(&self, name: &str, size: usize) -> String {
        let size = bytes(size as u64);
        match self.language {
            Language::English => format!("Preparing {name}… {size}"),
            Language::Chinese => format!("正在准备 {name}… {size}"),
        }
    }

    /// A time that something took.
    pub fn took(&self, ms: u64) -> String {
        duration(self.language, ms)
    }

    /// The group of the session list.
    pub fn day(&self, day: Day) -> &'static str {
        match day {
            Day::Today => self.today,
            Day::Yesterday => self.yesterday,
            Day::Week => self.pick("Previous 7 days", "过去 7 天"),
            Day::Earlier => self.earlier,
        }
    }

    /// What is wrong with a field.
    pub fn problem(&self, field: Field, problem: &Problem) -> String {
        let english = self.is_english();
        let text = match (problem, field) {
            (Problem::OutOfRange { min, max }, Field::Limit(limit)) => {
                return self.out_of_range(limit, *min, *max);
            }
            (Problem::Empty, Field::BaseUrl) if english => "Enter the endpoint's address.",
            (Problem::Empty, Field::BaseUrl) => "请填写端点地址。",
            (Problem::Empty, _) if english => "Enter the model's name.",
            (Problem::Empty, _) => "请填写模型名称。",
            (Problem::NotAnAddress, _) if english => {
                "This is not an address. One looks like https://api.example.com/v1."
            }
            (Problem::NotAnAddress, _) => "这不是地址。地址形如 https://api.example.com/v1。",
            (Problem::Ipv6Host, _) if english => {
                "An IPv6 address can't be used here. Put the host's name in its place; this machine is localhost."
            }
            (Problem::Ipv6Host, _) => "这里不能使用 IPv6 地址。请改填主机名，本机是 localhost。",
            (Problem::SchemeMissing { .. }, _) if english => {
                "http:// or https:// is missing in front."
            }
            (Problem::SchemeMissing { .. }, _) => "开头缺少 http:// 或 https://。",
            (Problem::InsecureHost, _) if english => {
                "Browsers let a page use http:// on this machine only. Use https:// for other hosts."
            }
            (Problem::InsecureHost, _) => {
                "浏览器只允许网页用 http:// 访问本机。其他主机请用 https://。"
            }
            (Problem::CredentialsInAddress, _) if english => {
                "A user name or password stands in the address. Take it out; the key has a field of its own."
            }
            (Problem::CredentialsInAddress, _) => {
                "地址中含有用户名或密码。请去掉，密钥有单独的输入框。"
            }
            (Problem::BadKey, _) if english => {
                "A key has only English letters, digits and signs, and neither spaces nor line breaks. Copy it again."
            }
            (Problem::BadKey, _) => "密钥只含英文字母、数字和符号，没有空格和换行。请重新复制。",
            (Problem::ReservedHeader, _) if english => {
                "The browser sets this header itself, or the key has a field of its own. Take it out."
            }
            (Problem::ReservedHeader, _) => "此请求头由浏览器设置，或密钥有单独的输入框。请去掉。",
            (Problem::BadHeader, _) if english => {
                "A header has a name without spaces, and a value in English letters, digits and signs."
            }
            (Problem::BadHeader, _) => "请求头名称不能含空格，值只能用英文字母、数字和符号。",
            (Problem::NotAnObject, _) if english => {
                "This is not a JSON object. One looks like {\"seed\": 7}."
            }
            (Problem::NotAnObject, _) => "这不是 JSON 对象。对象形如 {\"seed\": 7}。",
            (Problem::ReservedField(name), _) if english => {
                return format!("Tabloop fills “{name}” itself. Take it out.");
            }
            (Problem::ReservedField(name), _) => {
                return format!("“{name}”由 Tabloop 填写。请去掉。");
            }
            (Problem::NotANumber, Field::Option(OptionField::MaxTokens)) if english => {
                "Enter a whole number from 1, or nothing."
            }
            (Problem::NotANumber, Field::Option(OptionField::MaxTokens)) => {
                "请输入不小于 1 的整数，或留空。"
            }
            (Problem::NotANumber, Field::Option(OptionField::TopP)) if english => {
                "Enter a number from 0 to 1, such as 0.9, or nothing."
            }
            (Problem::NotANumber, Field::Option(OptionField::TopP)) => {
                "请输入 0 到 1 的数字，如 0.9，或留空。"
            }
            (Problem::NotANumber, _) if english => {
                "Enter a number from 0 to 2, such as 0.7, or nothing."
            }
            (Problem::NotANumber, _) => "请输入 0 到 2 的数字，如 0.7，或留空。",
            (Problem::BadRule, _) if english => {
                "A rule needs a tool's name or *, and a pattern of at most 200 characters."
            }
            (Problem::BadRule, _) => "规则需要工具名或 *，以及不超过 200 个字符的模式。",
            (Problem::OutOfRange { min, max }, _) if english => {
                return format!("Enter a number from {min} to {max}.");
            }
            (Problem::OutOfRange { min, max }, _) => {
                return format!("请输入 {min} 到 {max} 的数字。");
            }
        };
        text.to_owned()
    }

    /// More rows than are shown.
    pub fn more(&self, n: usize) -> String {
        let n = number(n as u64);
        match self.language {
            Language::English => format!("Show {n} more"),
            Language::Chinese => format!("再显示 {n} 项"),
        }
    }

    /// More lines than are shown.
    pub fn more_lines(&self, n: usize) -> String {
        let n = number(n as u64);
        match self.language {
            Language::English => format!("Show {n} more lines"),
            Language::Chinese => format!("再显示 {n} 行"),
        }
    }

    /// A file of which only the beginning is shown.
    pub fn cut(&self, shown: usize) -> String {
        let shown = bytes(shown as u64);
        match self.language {
            Language::English => {
                format!("Only the first {shown} are shown. Download the file to see all of it.")
            }
            Language::Chinese => format!("只显示前 {shown}。下载文件可查看全部。"),
        }
    }

    /// Tasks for an empty session whose files are `paths`.
    pub fn file_tasks(&self, paths: &[String]) -> Vec<String> {
        let [first, ..] = paths else {
            return Vec::new();
        };
        let mut tasks = vec![match self.language {
            Language::English => format!("Summarise {first} in five sentences"),
            Language::Chinese => format!("用五句话总结 {first}"),
        }];
        if let [_, second, ..] = paths {
            tasks.push(match self.language {
                Language::English => format!(
                    "Compare {first} with {second} and list the differences in differences.md"
                ),
                Language::Chinese => format!("比较 {first} 和 {second}，把差异写入 differences.md"),
            });
        }
        tasks.push(match self.language {
            Language::English => {
                format!("Find the open tasks in {first} and write them to todo-list.md")
            }
            Language::Chinese => format!("找出 {first} 中未完成的事项，写入 todo-list.md"),
        });
        tasks
    }

    /// Tasks that the demo's script knows.
    pub fn demo_tasks(&self) -> [&'static str; 4] {
        match self.language {
            Language::English => [
                "Read meeting.md, collect the lines that begin with TODO, write them to todo-list.md",
                "Summarise notes/agenda.txt",
                "Keep listing the files for ever (runaway demo)",
                "Read ../secret and tell me what is in it",
            ],
            Language::Chinese => [
                "读取 meeting.md，收集以 TODO 开头的行，写入 todo-list.md",
                "总结 notes/agenda.txt",
                "一直列出文件（失控演示）",
                "读取 ../secret，告诉我里面有什么",
            ],
        }
    }

    /// What each of [`Words::demo_tasks`] is there to show.
    pub fn demo_notes(&self) -> [&'static str; 4] {
        match self.language {
            Language::English => [
                "Reads, writes and reports",
                "That file does not exist: shows how it recovers",
                "Never ends by itself: shows the round limit",
                "Leads out of the workspace: is refused",
            ],
            Language::Chinese => [
                "读取、写入并汇报",
                "该文件不存在：演示如何恢复",
                "自己不会停：演示轮次上限",
                "指向工作区之外：会被拒绝",
            ],
        }
    }
}
