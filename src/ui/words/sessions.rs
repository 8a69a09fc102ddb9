//! Sessions in words: what is done about them, and their branches.

use super::{Language, Words};
use crate::kernel::session::portable::NotTaken;
use crate::protocol::{Outlook, Refusal};

texts! {
    all_of_sessions;
    /// Name of the menu, and of the button that opens it.
    session_act: "What to do with this session", "对此会话的操作";
    /// In the menu.
    session_rename: "Rename", "重命名";
    /// In the menu.
    session_pin: "Pin", "置顶";
    /// In the menu.
    session_unpin: "Unpin", "取消置顶";
    /// In the menu.
    session_archive: "Archive", "归档";
    /// In the menu.
    session_unarchive: "Take out of the archive", "移出归档";
    /// In the menu.
    session_copy: "Copy to a new session", "复制为新会话";
    /// In the menu.
    session_as_markdown: "Download as Markdown", "下载为 Markdown";
    /// In the menu.
    session_as_page: "Download as a page", "下载为网页";
    /// In the menu.
    session_as_json: "Download as JSON", "下载为 JSON";
    /// In the menu of workspaces.
    session_take_in: "Bring in a session (JSON)", "导入会话（JSON）";
    /// In the menu.
    session_delete: "Delete", "删除";
    /// A field's name.
    session_title: "Title", "标题";
    /// Title of the dialog.
    session_rename_title: "Rename session", "重命名会话";
    /// Above those that are pinned.
    sessions_pinned: "Pinned", "已置顶";
    /// Above those that are put away.
    sessions_archived: "Archive", "归档";
    /// Field above the list.
    sessions_search: "Search sessions", "搜索会话";
    /// Button in it.
    sessions_search_clear: "Clear the search", "清除搜索";
    /// While it looks.
    sessions_searching: "Searching …", "正在搜索……";
    /// It found nothing.
    sessions_not_found: "No session says that. Titles, tasks and answers were searched.", "没有会话包含这些内容。已搜索标题、任务和回答。";
    /// Button below what was found.
    sessions_more: "Show more", "显示更多";
    /// Mark of one that is put away.
    session_is_archived: "Archived", "已归档";
    /// Mark of one that is pinned.
    session_is_pinned: "Pinned", "已置顶";
    /// A message.
    session_at_work: "This session is at work, so it was not deleted. Stop it or wait for its end, then delete it.", "此会话正在运行，因此未删除。请先停止或等待其结束，再删除。";
    /// On a message.
    session_restore: "Undo", "撤销";
    /// Below a task.
    task_edit: "Edit", "编辑";
    /// Below a task.
    task_again: "Answer again", "重新回答";
    /// Below a task.
    task_copy: "New session from here", "从此处新建会话";
    /// The field in which a task is edited.
    task_words: "The task in other words", "用其他说法描述任务";
    /// Button.
    task_edit_send: "Send again", "重新发送";
    /// Above the question.
    task_again_ask: "Answer this task again?", "重新回答此任务？";
    /// What becomes of the conversation.
    task_kept: "What follows now is kept; you can go back to it with the arrows below the task.", "现有的后续内容会保留，可用任务下方的箭头切换回去。";
    /// Box to tick.
    task_files_back: "Put the files back as they were before this task", "将文件恢复到此任务之前的状态";
    /// Instead of it.
    task_files_none: "No file was changed since by this conversation, so files stay as they are.", "此后本对话没有更改文件，文件保持现状。";
    /// Instead of it.
    task_files_not_kept: "Files stay as they are: what they were before this task is not kept any more.", "文件保持现状：此任务之前的状态已不再保留。";
    /// Button of the switcher.
    branch_before: "Show the one before", "显示上一个";
    /// Button of the switcher.
    branch_next: "Show the next one", "显示下一个";
    /// What going to another branch leaves alone.
    branch_files: "Files stay as they are.", "文件保持现状。";
}

impl Words {
    /// Why a session was not brought in.
    pub fn session_not_taken(&self, why: NotTaken) -> &'static str {
        match why {
            NotTaken::Broken => self.pick(
                "This file is no session of Tabloop, or not all of one. Nothing was changed.",
                "此文件不是 Tabloop 的会话，或内容不完整。未做任何更改。",
            ),
            NotTaken::Newer => self.pick(
                "This session was downloaded from a newer Tabloop. Nothing was changed. Reload the page to get the newest version, then bring it in.",
                "此会话由更新版本的 Tabloop 下载。未做任何更改。请刷新页面获取最新版本后再导入。",
            ),
            NotTaken::TooLong => self.pick(
                "This file is larger than 64 MB, too large for a session. Nothing was changed.",
                "此文件超过 64 MB，对会话来说过大。未做任何更改。",
            ),
        }
    }

    /// A session was deleted.
    pub fn session_deleted(&self, title: &str) -> String {
        let title = match title.trim() {
            "" => self.session_untitled,
            title => title,
        };
        match self.language {
            Language::English => format!("Deleted “{title}”."),
            Language::Chinese => format!("已删除“{title}”。"),
        }
    }

    /// Where a switcher stands, among other words of a task or other answers to it.
    pub fn branch_place(&self, is_of_task: bool, at: usize, of: usize) -> String {
        match (self.language, is_of_task) {
            (Language::English, true) => format!("Version {at} of {of}"),
            (Language::English, false) => format!("Answer {at} of {of}"),
            (Language::Chinese, true) => format!("第 {at} 版，共 {of} 版"),
            (Language::Chinese, false) => format!("第 {at} 个回答，共 {of} 个"),
        }
    }

    /// What of the files can be put back where a task is worked on again.
    pub fn task_files(&self, outlook: &Outlook) -> String {
        match &outlook.refusal {
            Some(Refusal::Changed(path)) => match self.language {
                Language::English => format!(
                    "Files stay as they are: {path} was changed since, outside of this conversation."
                ),
                Language::Chinese => {
                    format!("文件保持现状：{path} 此后在本对话之外又有更改。")
                }
            },
            Some(Refusal::NotKept) => self.task_files_not_kept().to_owned(),
            None if outlook.total == 0 => self.task_files_none().to_owned(),
            None => self.undo_files_told(outlook),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn texts_are_there_in_both_languages() {
        let [english, chinese] = BOTH.map(|language| language.words().all_of_sessions());
        for (en, zh) in english.iter().zip(&chinese) {
            assert!(!en.is_empty() && !zh.is_empty() && en != zh, "{en}");
        }
    }

    #[test]
    fn files_that_stay_are_told_with_the_reason() {
        let told = |total, refusal| {
            let outlook = Outlook {
                session: "s".into(),
                seq: 0,
                rounds: 2,
                files: vec!["a.md".into()],
                total,
                refusal,
            };
            Language::English.words().task_files(&outlook)
        };
        assert!(told(0, None).starts_with("No file was changed since"));
        let changed = told(0, Some(Refusal::Changed("a.md".into())));
        assert!(changed.contains("a.md was changed since"), "{changed}");
        assert!(told(1, None).contains("a.md"));
    }
}
