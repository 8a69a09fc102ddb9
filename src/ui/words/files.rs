//! Files in words: the tree, its menu, the editor and the viewers.

use super::units::{bytes, number};
use super::{Language, Words};
use crate::kernel::workspace::PathProblem;
use crate::protocol::FileProblem;
use crate::ui::state::bytes::Kind;

texts! {
    all_of_files;
    /// Field over the tree.
    files_find: "Find files", "查找文件";
    /// Button of a row.
    files_act: "More actions", "更多操作";
    /// Button of a message.
    files_undo: "Undo", "撤销";
    /// Button and title.
    file_make: "New file", "新建文件";
    /// Button and title.
    folder_make: "New folder", "新建文件夹";
    /// In the menu.
    file_open: "Open", "打开";
    /// In the menu.
    files_add_here: "Add files here…", "添加文件到此处…";
    /// In the menu.
    folder_download: "Download as zip", "下载为 zip";
    /// In the menu, and title.
    file_rename: "Rename or move", "重命名或移动";
    /// In the menu.
    file_copy_path: "Copy path", "复制路径";
    /// In the menu.
    file_delete: "Delete", "删除";
    /// A field's name.
    file_path: "Path", "路径";
    /// What the field takes.
    file_path_hint: "Folders are parted by /. Those that are missing are made.", "文件夹以 / 分隔，缺少的会自动创建。";
    /// Button.
    file_create: "Create", "创建";
    /// Button.
    file_rename_now: "Rename", "重命名";
    /// Button.
    file_edit: "Edit", "编辑";
    /// Of a tab.
    file_unsaved: "unsaved", "未保存";
    /// Names the tabs.
    files_open: "Open files", "打开的文件";
    /// Button of a tab.
    file_tab_close: "Close tab", "关闭标签页";
    /// While its code is fetched.
    editor_loading: "Loading the editor…", "正在载入编辑器…";
    /// It is not here.
    editor_not_loaded: "The editor could not be loaded. Your files are safe. Check your connection, then try again.", "编辑器未能载入。你的文件是安全的。请检查网络连接后重试。";
    /// Why a file can't be edited.
    editor_not_text: "This file is not UTF-8 text. Editing it here would damage it, so it can only be looked at and downloaded.", "此文件不是 UTF-8 文本，在此编辑会损坏它，因此只能查看和下载。";
    /// Why a file can't be edited.
    editor_too_large: "Files over 2 MB can be looked at here, not edited. Download this one to edit it.", "超过 2 MB 的文件只能在此查看，不能编辑。请下载后编辑。";
    /// Keys of the editor.
    editor_keys: "Ctrl+S saves, Ctrl+F finds. Tab indents; to leave with Tab, press Esc first.", "Ctrl+S 保存，Ctrl+F 查找。Tab 缩进；如需用 Tab 离开，请先按 Esc。";
    /// A conflict.
    edit_changed: "This file was changed while you were editing it. Your text is here and not saved yet.", "编辑期间此文件已被更改。你的文本还在，尚未保存。";
    /// A conflict.
    edit_deleted: "This file was deleted while you were editing it. Your text is here and not saved.", "编辑期间此文件已被删除。你的文本还在，尚未保存。";
    /// Button of a conflict.
    edit_keep: "Keep mine", "保留我的";
    /// Button of a conflict.
    edit_take: "Take theirs", "采用对方的";
    /// Button of a conflict.
    edit_drop: "Let mine go", "放弃我的";
    /// Button of a conflict.
    edit_difference: "See the difference", "查看差异";
    /// Before a tab with unsaved text is closed.
    edit_closing: "What you changed here is not saved.", "你在此处的更改尚未保存。";
    /// Button.
    edit_save_close: "Save and close", "保存并关闭";
    /// Button.
    edit_discard: "Discard", "放弃更改";
    /// Button.
    edit_go_on: "Keep editing", "继续编辑";
    /// How a file is shown.
    show_source: "Show source", "显示源文本";
    /// How a file is shown.
    show_formatted: "Show formatted", "显示排版";
    /// How a file is shown.
    show_table: "Show as table", "显示为表格";
    /// How a file is shown.
    show_image: "Show as image", "显示为图片";
    /// Size of an image on the page.
    image_fit: "Fit to pane", "适应窗格";
    /// Size of an image on the page.
    image_full: "Actual size", "实际大小";
    /// It is damaged.
    image_broken: "This image can't be shown: it is damaged, or of another kind than its name says. Download it to look at it elsewhere.", "无法显示此图片：文件已损坏，或类型与文件名不符。可下载后用其他程序查看。";
    /// Not everything of a table is shown.
    table_cut: "The first 5,000 rows and 100 columns are shown. Download the file for all of it.", "只显示前 5,000 行和 100 列。如需全部内容请下载文件。";
    /// While a PDF is being read.
    pdf_coming: "Opening the PDF…", "正在打开 PDF…";
    /// Its name for readers.
    pdf_smaller: "Smaller", "缩小";
    /// Its name for readers.
    pdf_larger: "Larger", "放大";
    /// Button: only the first pages stand there yet.
    pdf_more: "Show more pages", "显示更多页";
    /// It can't be read.
    pdf_broken: "This PDF can't be shown: it is damaged, or no PDF. Download it to try it elsewhere.", "无法显示此 PDF：文件已损坏，或不是 PDF。可下载后用其他程序打开。";
    /// It is encrypted.
    pdf_locked: "This PDF is protected by a password, so it can't be shown here. Download it to open it elsewhere.", "此 PDF 受密码保护，无法在这里显示。请下载后用其他程序打开。";
    /// What draws it did not come.
    pdf_not_loaded: "The PDF viewer could not be loaded. Your file is safe. Check the connection, then try again.", "未能加载 PDF 查看器。文件是安全的。请检查网络连接后重试。";
    /// Of a file without content.
    file_empty: "This file is empty.", "此文件为空。";
    /// PDF that can't be shown.
    pdf_download: "Download it to read it in your PDF viewer.", "请下载后用 PDF 阅读器查看。";
}

impl Words {
    /// How many of all files fit a filter.
    pub fn found(&self, found: usize, all: usize) -> String {
        let [count, of] = [found, all].map(|n| number(n as u64));
        match (self.language, found) {
            (Language::English, 0) => "No file matches. Press Escape to see all files.".to_owned(),
            (Language::English, _) => format!("{count} of {of} files"),
            (Language::Chinese, 0) => "没有匹配的文件。按 Esc 显示全部文件。".to_owned(),
            (Language::Chinese, _) => format!("{of} 个文件中的 {count} 个"),
        }
    }

    /// What the user deleted.
    pub(super) fn deleted_files(&self, path: &str, files: usize) -> String {
        match (self.language, files) {
            (Language::English, 0 | 1) => format!("Deleted {path}."),
            (Language::English, n) => format!("Deleted {path} with {} files.", number(n as u64)),
            (Language::Chinese, 0 | 1) => format!("已删除 {path}。"),
            (Language::Chinese, n) => {
                format!("已删除 {path}（{} 个文件）。", number(n as u64))
            }
        }
    }

    /// Why something was not done to a file.
    pub fn file_problem(&self, problem: &FileProblem) -> String {
        let english = self.language == Language::English;
        let (told, path) = match problem {
            FileProblem::Path(problem) => (self.path_problem(*problem), ""),
            FileProblem::Taken(path) => (
                self.pick(
                    "There is already something at {}. Choose another path.",
                    "{} 已存在。请换一个路径。",
                ),
                path.as_str(),
            ),
            FileProblem::Gone(path) => (
                self.pick("There is no {} any more.", "{} 已不存在。"),
                path.as_str(),
            ),
            FileProblem::IsFile(path) => (
                self.pick(
                    "{} is a file, so nothing can be put into it. Choose another path.",
                    "{} 是文件，不能放入内容。请换一个路径。",
                ),
                path.as_str(),
            ),
            FileProblem::Inside => (
                self.pick(
                    "A folder can't be moved into itself. Choose another path.",
                    "文件夹不能移到自身之内。请换一个路径。",
                ),
                "",
            ),
            FileProblem::Changed(path) => (
                self.pick(
                    "{} was changed since, so nothing was done.",
                    "{} 之后又有更改，因此未做任何操作。",
                ),
                path.as_str(),
            ),
            FileProblem::TooLarge(size) => {
                let size = bytes(*size as u64);
                return match english {
                    true => format!("{size} is more than a file may have, which is 100 MB."),
                    false => format!("{size} 超过了单个文件 100 MB 的上限。"),
                };
            }
            FileProblem::Full => (self.room_full_file(), ""),
            FileProblem::NotKept => (
                self.pick(
                    "That can't be undone any more.",
                    "该操作已无法撤销。",
                ),
                "",
            ),
            FileProblem::NotSaved(_) => (
                self.pick(
                    "The browser couldn't save it, and nothing was changed. Free some disk space, then do it again.",
                    "浏览器无法保存，未做任何更改。请释放一些磁盘空间后重做。",
                ),
                "",
            ),
        };
        told.replace("{}", path)
    }

    fn path_problem(&self, problem: PathProblem) -> &'static str {
        match problem {
            PathProblem::PathTooLong => self.pick(
                "The path is too long: 1,024 bytes at most.",
                "路径过长：最多 1,024 字节。",
            ),
            PathProblem::NameTooLong => self.pick(
                "A name is too long: 255 bytes at most.",
                "名称过长：最多 255 字节。",
            ),
            PathProblem::Control | PathProblem::Invisible => self.pick(
                "The name holds a sign that can't be seen. Type it by hand.",
                "名称含有不可见字符。请手动输入。",
            ),
            PathProblem::Backslash => self.pick(
                "Part folders by / and not by \\.",
                "请用 / 而不是 \\ 分隔文件夹。",
            ),
            PathProblem::Url | PathProblem::Home | PathProblem::Outside | PathProblem::Hidden => {
                self.pick(
                    "The path leads out of the workspace. Start with the name of a file or folder.",
                    "路径指向工作区之外。请以文件或文件夹名开头。",
                )
            }
            PathProblem::Root => self.pick("Type a name.", "请输入名称。"),
            PathProblem::Edges => self.pick(
                "A name can't begin with a space, or end with a space or a dot.",
                "名称不能以空格开头，也不能以空格或点结尾。",
            ),
            PathProblem::Signs => self.pick(
                "A name can't hold : * ? \" < > or |.",
                "名称不能包含 : * ? \" < > 或 |。",
            ),
            PathProblem::Device => self.pick(
                "Windows keeps this name for a device. Choose another one.",
                "此名称是 Windows 的设备保留名。请换一个名称。",
            ),
        }
    }

    /// Rows and columns of a table.
    pub fn table_size(&self, rows: usize, columns: usize) -> String {
        let [rows, columns] = [rows, columns].map(|n| number(n as u64));
        match self.language {
            Language::English => format!("{rows} rows · {columns} columns"),
            Language::Chinese => format!("{rows} 行 · {columns} 列"),
        }
    }

    /// Width and height of an image.
    pub fn image_size(&self, width: u32, height: u32) -> String {
        match self.language {
            Language::English => format!("{width} × {height} pixels"),
            Language::Chinese => format!("{width} × {height} 像素"),
        }
    }

    /// Which page is in sight, and how many there are.
    pub fn pdf_page(&self, page: u32, of: u32) -> String {
        match self.language {
            Language::English => format!("Page {page} of {of}"),
            Language::Chinese => format!("第 {page} / {of} 页"),
        }
    }

    /// What a file is that is neither text nor image.
    pub fn kind_of_bytes(&self, kind: Kind) -> String {
        let english = self.language == Language::English;
        let name = |english_name: &str, chinese: &str| match english {
            true => english_name.to_owned(),
            false => chinese.to_owned(),
        };
        match kind {
            Kind::Pdf => name("A PDF document.", "PDF 文档。"),
            Kind::Archive(of) => name(&format!("An archive ({of})."), &format!("压缩包（{of}）。")),
            Kind::Image(of) => name(&format!("An image ({of})."), &format!("图片（{of}）。")),
            Kind::Media(of) => name(
                &format!("Sound or video ({of})."),
                &format!("音频或视频（{of}）。"),
            ),
            Kind::Program(of) => name(
                &format!("A program or a part of one ({of})."),
                &format!("程序或其一部分（{of}）。"),
            ),
            Kind::Database => name("A database (SQLite).", "数据库（SQLite）。"),
            Kind::Font => name("A font.", "字体。"),
            Kind::Utf16 => name(
                "Text in UTF-16. Only UTF-8 can be shown and edited as text.",
                "UTF-16 文本。只有 UTF-8 可以作为文本显示和编辑。",
            ),
            Kind::OtherText => name(
                "Text in an older encoding. Only UTF-8 can be shown and edited as text.",
                "旧编码的文本。只有 UTF-8 可以作为文本显示和编辑。",
            ),
            Kind::Unknown => name("Neither text nor an image.", "既不是文本也不是图片。"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::BOTH;
    use super::*;

    #[test]
    fn files_and_changes_have_words_in_both_languages() {
        let [english, chinese] = BOTH.map(|language| {
            let words = language.words();
            let texts = [words.all_of_files(), words.all_of_changes()];
            [texts.concat(), words.all_of_pictures()].concat()
        });
        for (english, chinese) in english.into_iter().zip(chinese) {
            assert!(english != chinese && !english.contains('!'), "{english}");
            assert!(!chinese.is_ascii(), "{chinese}");
        }
    }

    #[test]
    fn a_problem_says_what_to_do() {
        let told = |problem| {
            let problem = FileProblem::Path(problem);
            Language::English.words().file_problem(&problem)
        };
        assert_eq!(told(PathProblem::Root), "Type a name.");
        assert_eq!(
            told(PathProblem::Signs),
            "A name can't hold : * ? \" < > or |."
        );
        let taken = FileProblem::Taken("a/b.md".into());
        assert_eq!(
            Language::English.words().file_problem(&taken),
            "There is already something at a/b.md. Choose another path."
        );
        assert_eq!(
            Language::Chinese.words().file_problem(&taken),
            "a/b.md 已存在。请换一个路径。"
        );
        assert_eq!(
            Language::English.words().found(12, 20_000),
            "12 of 20,000 files"
        );
        assert_eq!(
            Language::English.words().deleted_files("src", 1_200),
            "Deleted src with 1,200 files."
        );
    }
}
