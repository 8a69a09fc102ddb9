//! What the page asks of the files: show, hand out, bring in.

use super::Kernel;
use crate::kernel::model::demo;
use crate::kernel::settings::ModelChoice;
use crate::kernel::store::Durability;
use crate::kernel::workspace::{
    Committed, Expect, FileChange, Node, Workspace, WorkspaceError, WorkspacePath,
};
use crate::protocol::{Author, Event, FileRow, FileView, Notice};

/// Most bytes of a text that are shown.
const MAX_SHOWN: usize = 1 << 20;
/// How many bytes are shown of what is neither text nor image.
const MAX_HEAD: usize = 4 << 10;
/// Largest PDF that is shown, in bytes.
const MAX_PDF: usize = 64 << 20;
/// What a PDF begins with.
const PDF: &[u8] = b"%PDF-";
/// Largest image that is shown, in bytes.
const MAX_IMAGE: usize = 20 << 20;

/// What the page is told of a commit.
pub(super) fn changed(workspace: &Workspace, committed: &Committed, by: Author) -> Event {
    let row = |path: &WorkspacePath| Some(row(path, &workspace.node(path)?));
    let removed = committed.removed.iter();
    Event::FilesChanged {
        rows: committed.changed.iter().filter_map(row).collect(),
        removed: removed.map(|path| path.as_str().to_owned()).collect(),
        by,
    }
}

fn row(path: &WorkspacePath, node: &Node) -> FileRow {
    let size = match node {
        Node::File { size, .. } => Some(*size),
        Node::Folder => None,
    };
    FileRow {
        path: path.as_str().to_owned(),
        size,
    }
}

impl Kernel {
    pub(super) fn file_rows(&self) -> Vec<FileRow> {
        self.0
            .workspace
            .nodes()
            .iter()
            .map(|(path, node)| row(path, node))
            .collect()
    }

    pub(super) async fn open_file(&self, path: String) {
        let view = match WorkspacePath::parse_file(&path) {
            Ok(parsed) => match self.0.workspace.read(&parsed).await {
                Ok((content, _)) => view(&path, content),
                Err(_) => FileView::Missing,
            },
            Err(_) => FileView::Missing,
        };
        self.tell(Event::FileOpened { path, view });
    }

    pub(super) async fn read_file(&self, path: String) {
        let Ok(parsed) = WorkspacePath::parse_file(&path) else {
            return;
        };
        match self.0.workspace.read(&parsed).await {
            Ok((content, _)) => self.tell(Event::FileBytes {
                path,
                bytes: content,
            }),
            Err(_) => self.tell(Event::FileOpened {
                path,
                view: FileView::Missing,
            }),
        }
    }

    /// Puts in order what is damaged, and tells of it. What fails is tried again at the
    /// next start; nothing is removed until it was done.
    pub(super) async fn mend_files(&self) {
        let Ok(mended) = self.0.workspace.mend().await else {
            return;
        };
        if mended.is_nothing() {
            return;
        }
        let text = |path: &WorkspacePath| path.as_str().to_owned();
        let were = mended.moved.iter().filter_map(|(was, _)| was.as_ref());
        let mut removed: Vec<String> = were.chain(&mended.gone).map(text).collect();
        removed.sort_unstable();
        if self.0.is_shown() {
            let rows = self.file_rows();
            let by = Author::User;
            self.tell(Event::FilesChanged { rows, removed, by });
        }
        let moved = mended.moved.iter();
        self.tell(Event::Notice(Notice::Mended {
            moved: moved
                .map(|(was, is)| (was.as_ref().map(text), text(is)))
                .collect(),
            gone: mended.gone.iter().map(text).collect(),
            more: mended.unreadable > 0,
        }));
    }

    pub(super) async fn use_demo(&self) {
        self.put_demo_files().await;
        self.change_settings(|settings| settings.choice = Some(ModelChoice::Demo))
            .await;
    }

    /// Puts the files that the demo's tasks are about where they are missing.
    pub(super) async fn put_demo_files(&self) {
        for (path, content) in demo::SEED {
            let Ok(path) = WorkspacePath::parse_file(path) else {
                continue;
            };
            if self.0.workspace.node(&path).is_none() {
                let content = content.as_bytes().into();
                if let Err(error) = self
                    .write(FileChange::Write {
                        path,
                        content,
                        expect: Expect::Nothing,
                    })
                    .await
                {
                    self.not_saved(error);
                }
            }
        }
    }

    async fn write(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let committed = self
            .0
            .workspace
            .commit(&[change], Vec::new(), Durability::Strict)
            .await?;
        self.tell_changed(&committed);
        Ok(())
    }

    pub(super) fn tell_changed(&self, committed: &Committed) {
        if self.0.is_shown() {
            self.tell(changed(&self.0.workspace, committed, Author::User));
        }
    }
}

/// A file's content, as far as it can be shown.
pub(super) fn view(path: &str, content: Vec<u8>) -> FileView {
    let size = content.len() as u64;
    let ending = path
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let mime = match ending.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        _ => "",
    };
    if !mime.is_empty() && content.len() <= MAX_IMAGE {
        return FileView::Image {
            mime: mime.into(),
            bytes: content,
        };
    }
    if content.starts_with(PDF) && content.len() <= MAX_PDF {
        return FileView::Pdf(content);
    }
    if content.iter().take(8 << 10).any(|byte| *byte == 0) {
        return binary(&content);
    }
    let shown = content.len().min(MAX_SHOWN);
    let cut = shown < content.len();
    match std::str::from_utf8(&content[..shown]) {
        Ok(text) => FileView::Text {
            text: text.into(),
            size,
            cut,
        },
        // Only the cut itself may have split a character.
        Err(error) if cut && shown - error.valid_up_to() < 4 => {
            let text = String::from_utf8_lossy(&content[..error.valid_up_to()]).into_owned();
            FileView::Text { text, size, cut }
        }
        Err(_) => binary(&content),
    }
}

fn binary(content: &[u8]) -> FileView {
    FileView::Binary {
        size: content.len() as u64,
        head: content[..content.len().min(MAX_HEAD)].to_vec(),
    }
}
