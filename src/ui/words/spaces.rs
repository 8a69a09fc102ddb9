//! Workspaces in words.

use super::units::number;
use super::{Language, Words};
use crate::protocol::SpaceCounts;

texts! {
    all_of_spaces;
    /// The one that was never named.
    space_first: "My files", "我的文件";
    /// Button.
    space_switch: "Change workspace", "切换工作区";
    /// Name of the menu.
    spaces: "Workspaces", "工作区";
    /// In the menu, and title.
    space_new: "New workspace", "新建工作区";
    /// In the menu, and title.
    space_rename: "Rename workspace", "重命名工作区";
    /// In the menu, and title.
    space_delete: "Delete workspace", "删除工作区";
    /// A field's name.
    space_name: "Name", "名称";
    /// Button.
    space_create: "Create", "创建";
    /// Button.
    space_rename_now: "Rename", "重命名";
    /// Button.
    space_delete_now: "Delete", "删除";
    /// Instead of the question.
    space_at_work: "Something is at work in it. Stop it or wait for its end, then delete the workspace.", "其中仍有任务在进行。请先停止或等待其结束，再删除工作区。";
    /// A message.
    space_unsaved: "A file in the editor is not saved. Save it or close it, then change the workspace.", "编辑器中有未保存的文件。请先保存或关闭，再切换工作区。";
    /// Beside a workspace that is not shown.
    space_waits: "A run waits for your answer", "有任务在等待你的回答";
    /// In a tab that follows: its run asks in the other one.
    waits_in_other_tab: "This run waits for an answer in the other tab. Answer it there, or take over and answer it here.", "此任务正在另一个标签页中等待回答。请在那里回答，或接手后在这里回答。";
    /// Going back in the files while a run writes.
    space_files_at_work: "A run is at work on these files, so nothing was changed. Wait for its end or stop it, then go back.", "有任务正在处理这些文件，因此未做更改。请等待其结束或将其停止，然后再回退。";
    /// What it was meant for went out of sight in the moment it was pressed.
    space_left: "That was not done: what it was meant for is no longer shown. Look at what is shown now, then do it again where you want it.", "未执行：操作所针对的内容已不再显示。请查看当前显示的内容，然后在需要的地方重做。";
}

impl Words {
    /// What goes with a workspace, and that it does not come back.
    pub fn space_delete_ask(&self, name: &str, counts: &SpaceCounts) -> String {
        let files = self.files_count(counts.files);
        let sessions = counts.sessions;
        match (self.language, sessions) {
            (Language::English, 1) => format!(
                "{name} goes with {files} and 1 session, for good. Download what you need first."
            ),
            (Language::English, _) => format!(
                "{name} goes with {files} and {} sessions, for good. Download what you need first.",
                number(sessions as u64)
            ),
            (Language::Chinese, _) => format!(
                "{name} 将连同 {files}和 {} 个会话一起永久删除。请先下载需要的内容。",
                number(sessions as u64)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn texts_are_there_in_both_languages_and_the_question_counts() {
        let [english, chinese] = BOTH.map(|language| language.words().all_of_spaces());
        for (en, zh) in english.iter().zip(&chinese) {
            assert!(!en.is_empty() && !zh.is_empty() && en != zh, "{en}");
        }
        let counts = SpaceCounts {
            id: "a".into(),
            files: 1,
            sessions: 12,
            at_work: false,
        };
        let words = Language::English.words();
        assert_eq!(
            words.space_delete_ask("Notes", &counts),
            "Notes goes with 1 file and 12 sessions, for good. Download what you need first."
        );
    }
}
