//! What helps to write a task, in words: lists at the composer, attachments, prompts, the
//! palette, and what is told while the tab is hidden.

use super::units::{number, short_number};
use super::{Language, Words};

texts! {
    all_of_writing;
    /// Button of the composer.
    attach: "Attach files", "附加文件";
    /// While files are held over the conversation.
    attach_drop: "Drop files to attach them", "松开以附加文件";
    /// Names the list.
    commands: "Commands", "命令";
    /// Names the list.
    files_to_mention: "Files", "文件";
    /// In the list.
    recent_file: "changed", "已更改";
    /// Button.
    paste_to_file: "Make it a file", "转为文件";
    /// Button.
    paste_keep: "Keep it here", "保留在此";
    /// Part of the settings, and title of a list.
    prompts: "Prompts", "提示词";
    /// Under it.
    prompts_hint: "Texts to use again. Type / in the composer to find them. {{name}} in a text is asked for each time.", "可重复使用的文本。在输入框中键入 / 即可找到。文本中的 {{名称}} 每次使用时会询问。";
    /// In its place.
    prompts_none: "None yet.", "暂无。";
    /// Button.
    prompt_add: "Add prompt", "添加提示词";
    /// Button.
    prompt_remove: "Remove prompt", "移除提示词";
    /// A field's name.
    prompt_name: "Name", "名称";
    /// A field's name.
    prompt_text: "Text", "文本";
    /// In the list of commands.
    prompts_edit: "Edit prompts", "编辑提示词";
    /// Title.
    prompt_fill: "Fill in the prompt", "填写提示词";
    /// Button.
    prompt_insert: "Insert", "插入";
    /// Title of the palette.
    palette: "Do or find anything", "查找或执行";
    /// Title of a list.
    palette_actions: "Actions", "操作";
    /// Title of a list.
    palette_sessions: "Sessions", "会话";
    /// Title of a list.
    palette_spaces: "Workspaces", "工作区";
    /// In its place.
    palette_none: "Nothing fits.", "没有符合的内容。";
    /// Action and title.
    shortcuts: "Keyboard shortcuts", "键盘快捷键";
    /// A shortcut.
    key_palette: "Open the palette", "打开命令面板";
    /// A shortcut.
    key_send: "Send, or queue while a run is open", "发送；任务进行中则排队";
    /// A shortcut.
    key_line: "New line", "换行";
    /// A shortcut.
    key_history: "In an empty field: earlier messages", "输入框为空时：之前的消息";
    /// A shortcut.
    key_mention: "Mention a file", "提及文件";
    /// A shortcut.
    key_command: "Commands and prompts", "命令与提示词";
    /// A shortcut.
    key_escape: "Close what is open", "关闭已打开的内容";
    /// A shortcut.
    key_approve: "Answer an approval: once, session, always, deny", "回应批准：一次、本会话、始终、拒绝";
    /// A shortcut.
    key_tree: "Move in the tree of files", "在文件树中移动";
    /// A shortcut.
    key_editor: "In the editor: save, find", "编辑器中：保存、查找";
    /// Action.
    act_stop: "Stop the run", "停止任务";
    /// Action.
    act_resume: "Resume the run", "继续任务";
    /// Action.
    act_act: "Mode: act", "模式：执行";
    /// Action.
    act_plan: "Mode: plan first", "模式：先计划";
    /// Action.
    act_reflect: "Mode: reflect", "模式：反思";
    /// Action.
    act_model: "Choose the model", "选择模型";
    /// Action.
    act_rounds: "Set the rounds of the next task", "设置下次任务的轮次";
    /// Action.
    act_undo: "Undo…", "撤销…";
    /// Action.
    act_take_back: "Take queued messages back", "取回排队的消息";
    /// Action.
    act_files: "Show the files", "显示文件";
    /// Action.
    act_find: "Find a file", "查找文件";
    /// Action.
    act_changes: "Show the changes", "显示更改";
    /// Action.
    act_trace: "Show the trace", "显示追踪";
    /// Action.
    act_export: "Download all files as zip", "将全部文件下载为 zip";
    /// Action.
    act_link: "Link a folder of this device", "关联本机文件夹";
    /// Action.
    act_doctor: "Run the doctor on the endpoint", "检查端点";
    /// Action.
    act_light: "Theme: light", "主题：浅色";
    /// Action.
    act_dark: "Theme: dark", "主题：深色";
    /// Action.
    act_system: "Theme: as the system", "主题：跟随系统";
    /// Action; in the other language.
    act_language: "Language: 简体中文", "语言：English";
    /// Action.
    act_print: "Print the conversation", "打印对话";
    /// In the tab's title.
    tab_working: "Working", "进行中";
    /// In the tab's title.
    tab_waits: "Waiting for you", "等待你的回应";
    /// In the tab's title.
    tab_ended: "Ended", "已结束";
    /// A question.
    notify_ask: "A task went on while you were away. Get a notification when one ends or waits for you?", "你离开时任务仍在进行。要在任务结束或等待回应时收到通知吗？";
    /// Button.
    notify_yes: "Notify me", "通知我";
    /// Button.
    notify_no: "No, thanks", "不用了";
    /// In the settings.
    notify_setting: "Notify me in a hidden tab when a run ends or waits for me", "标签页隐藏时，在任务结束或等待我时通知我";
    /// Under it.
    notify_refused: "The browser does not let this page notify you. Allow it in the browser's settings for this site.", "浏览器不允许此页面发送通知。请在浏览器的网站设置中允许。";
    /// Under it.
    notify_hint: "The browser asks you once. Nothing leaves this device.", "浏览器会询问一次。没有任何内容离开本设备。";
}

impl Words {
    /// How long what stands in the composer is.
    pub fn about_tokens(&self, tokens: u64) -> String {
        format!("≈ {} tokens", short_number(tokens))
    }

    /// A long text was pasted.
    pub fn pasted_long(&self, chars: usize) -> String {
        let chars = number(chars as u64);
        match self.language {
            Language::English => format!(
                "You pasted {chars} characters. As a file, the agent reads of them what it needs."
            ),
            Language::Chinese => format!("你粘贴了 {chars} 个字符。转为文件后，智能体会按需读取。"),
        }
    }

    /// How many lines a list has, for readers.
    pub fn list_has(&self, count: usize) -> String {
        match (self.language, count) {
            (Language::English, 0) => "No matches".to_owned(),
            (Language::English, 1) => "1 match".to_owned(),
            (Language::English, count) => format!("{} matches", number(count as u64)),
            (Language::Chinese, 0) => "没有匹配项".to_owned(),
            (Language::Chinese, count) => format!("{} 个匹配项", number(count as u64)),
        }
    }

    /// Names one of the prompts in the settings; from 1.
    pub fn numbered_prompt(&self, at: usize) -> String {
        match self.language {
            Language::English => format!("Prompt {at}"),
            Language::Chinese => format!("提示词 {at}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn no_text_is_empty_shouts_or_is_left_in_english() {
        let [english, chinese] = BOTH.map(|language| language.words().all_of_writing());
        for (english, chinese) in english.iter().zip(&chinese) {
            assert!(
                !english.trim().is_empty() && english != chinese,
                "{english}"
            );
            assert!(!english.contains('!') && !chinese.contains(['!', '！']));
        }
    }

    #[test]
    fn numbers_stand_in_their_sentences() {
        let [english, chinese] = BOTH.map(Language::words);
        assert_eq!(english.list_has(1), "1 match");
        assert_eq!(english.list_has(1_200), "1,200 matches");
        assert_eq!(chinese.list_has(2), "2 个匹配项");
        assert_eq!(english.about_tokens(12), "≈ 12 tokens");
        assert!(
            english
                .pasted_long(4_001)
                .starts_with("You pasted 4,001 characters.")
        );
    }
}
