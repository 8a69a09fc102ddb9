//! Looking through what was changed, and taking parts of it back.

use std::collections::BTreeSet;
use std::time::Duration;

use super::files::view;
use super::{Inner, Kernel};
use crate::kernel::diff::{DiffKind, FileDiff, diff_within};
use crate::kernel::session::branches::aside;
use crate::kernel::session::{self, Entry, SessionId};
use crate::kernel::workspace::{
    Altered, Begins, Checkpoint, Node, Origin, Span, WorkspaceError, WorkspacePath,
};
use crate::protocol::{
    ChangeView, ChangedFile, Changes, Event, FileView, Notice, Outlook, Refusal, Reverting, Since,
    WentBack,
};
/// Larger files are not compared line by line, in bytes.
const MAX_COMPARED: u64 = 1 << 20;
/// Most lines shown of one file.
const MAX_LINES: usize = 1_000;
/// Files that a question names.
const NAMED: usize = 5;

impl Kernel {
    /// Tells how many files changed, and a page of them beginning with the file `from`. A
    /// page that is asked for ends the work on the one before.
    pub(super) async fn list_changes(&self, since: Since, from: Option<usize>) {
        let turn = match from {
            Some(_) => self.0.looks.get() + 1,
            None => self.0.looks.get(),
        };
        self.0.looks.set(turn);
        let generation = self.0.workspace.generation();
        let all = self.altered(&since).await;
        let kept = all.is_ok();
        let (run, shown) = match all {
            Ok((run, all)) => (run, shown(all)),
            Err(WorkspaceError::Store(error)) => return self.not_saved(error),
            Err(_) => (None, Vec::new()),
        };
        let mut files = Vec::new();
        let page = from.map_or(&[][..], |from| shown.get(from..).unwrap_or_default());
        for altered in page.iter().take(Changes::PAGE) {
            self.0.platform.clock.sleep(Duration::ZERO).await;
            if self.0.looks.get() != turn {
                return;
            }
            files.push(self.0.counted(altered).await);
        }
        self.tell(Event::ChangesListed(Box::new(Changes {
            since,
            generation,
            run,
            total: shown.len(),
            from,
            files,
            kept,
        })));
    }

    /// Tells what changed in one file.
    pub(super) async fn show_change(&self, since: Since, path: String) {
        let generation = self.0.workspace.generation();
        let (_, all) = self.altered(&since).await.unwrap_or_default();
        let found = all.iter().find(|altered| altered.path.as_str() == path);
        let view = match found {
            Some(altered) => self.0.change_view(altered).await,
            None => ChangeView::Nothing,
        };
        self.tell(Event::ChangeShown {
            since,
            path,
            mark: found.map(Altered::mark).unwrap_or_default(),
            generation,
            view,
        });
    }

    /// Takes back what is `meant`, as it was shown at a generation.
    pub(super) async fn revert(&self, since: Since, shown: u64, meant: Reverting) {
        if let Since::LastRun(id) | Since::Session(id) = &since
            && self.0.running.borrow().contains_key(id)
        {
            return self.tell(Event::Notice(Notice::AlreadyRunning));
        }
        match self.take_parts_back(&since, shown, meant).await {
            Ok(back) => self.tell(Event::Notice(Notice::WentBack(back))),
            Err(error) => self.not_undone(error),
        }
    }

    async fn take_parts_back(
        &self,
        since: &Since,
        shown: u64,
        meant: Reverting,
    ) -> Result<WentBack, WorkspaceError> {
        let (_, mut all) = self.altered(since).await?;
        let workspace = &self.0.workspace;
        let find = |all: Vec<Altered>, path: &str| -> Result<Altered, WorkspaceError> {
            let path = WorkspacePath::parse_file(path)?;
            let found = all.into_iter().find(|altered| altered.path == path);
            found.ok_or(WorkspaceError::Changed(path))
        };
        let (committed, files) = match meant {
            Reverting::Hunk { path, at } => {
                let altered = find(all, &path)?;
                (workspace.revert_hunk(altered, at, shown).await?, 1)
            }
            Reverting::File(path) => {
                let altered = find(all.clone(), &path)?;
                let above: Vec<WorkspacePath> = altered.path.ancestors().collect();
                all.retain(|other| is_new_folder(other) && above.contains(&other.path));
                all.push(altered);
                (workspace.revert(all, shown).await?, 1)
            }
            Reverting::All => {
                let files = self::shown(all.clone()).len();
                (workspace.revert(all, shown).await?, files)
            }
        };
        self.tell_changed(&committed);
        Ok(WentBack::Reverted {
            files,
            generation: committed.generation,
        })
    }

    /// Undoes a commit by which files were gone back in.
    pub(super) async fn go_forward(&self, generation: u64) {
        match self.forward(generation).await {
            Ok(()) => self.tell(Event::Notice(Notice::WentBack(WentBack::Forward))),
            Err(error) => self.not_undone(error),
        }
    }

    async fn forward(&self, generation: u64) -> Result<(), WorkspaceError> {
        let workspace = &self.0.workspace;
        let checkpoints = workspace.checkpoints().await?;
        // What took back rounds is undone together with their conversation.
        let went_back = |checkpoint: &Checkpoint| {
            let is_one = matches!(checkpoint.begins, Begins::Reverted | Begins::Restored(_));
            checkpoint.generation == generation && is_one
        };
        if !checkpoints.iter().any(went_back) {
            return Err(WorkspaceError::NotKept);
        }
        let committed = workspace.bring_back(generation, Vec::new()).await?;
        self.tell_changed(&committed);
        Ok(())
    }

    /// Tells what taking back the rounds of a session from the record `seq` on would do.
    pub(super) async fn look_back(&self, session: SessionId, seq: u64) {
        match self.outlook(session, seq).await {
            Ok(outlook) => self.tell(Event::LookedBack(outlook)),
            Err(error) => self.not_undone(error),
        }
    }

    async fn outlook(&self, session: SessionId, seq: u64) -> Result<Outlook, WorkspaceError> {
        let records = session::records(self.store(), &session).await?;
        let behind = records.iter().filter(|record| record.seq >= seq);
        let rounds = behind.filter(|record| matches!(record.entry, Entry::Assistant(_)));
        let rounds = rounds.count();
        let aside = aside(self.store(), &session).await?;
        let is_meant = self.0.rounds_from(&session, seq, aside);
        let checkpoints = self.0.workspace.checkpoints().await?;
        let mut meant = checkpoints.iter().filter_map(Checkpoint::round);
        let (files, refusal) = match meant.find(|round| is_meant(round)) {
            None => (Vec::new(), None),
            Some(first) => match self.0.workspace.would_take_back(first, &is_meant).await {
                Ok(files) => (files, None),
                Err(WorkspaceError::Store(error)) => return Err(error.into()),
                Err(WorkspaceError::Changed(path)) => {
                    let path = path.as_str().to_owned();
                    (Vec::new(), Some(Refusal::Changed(path)))
                }
                Err(_) => (Vec::new(), Some(Refusal::NotKept)),
            },
        };
        let named = files.iter().take(NAMED);
        Ok(Outlook {
            session,
            seq,
            rounds,
            total: files.len(),
            files: named.map(|path| path.as_str().to_owned()).collect(),
            refusal,
        })
    }

    /// What changed, and with which record the run began if it is that of one.
    async fn altered(&self, since: &Since) -> Result<(Option<u64>, Vec<Altered>), WorkspaceError> {
        let workspace = &self.0.workspace;
        let (id, run) = match since {
            Since::Checkpoint(generation) => {
                let span = Span::After(generation.saturating_sub(1));
                return Ok((None, workspace.altered(&span).await?));
            }
            Since::Session(id) => (id, None),
            Since::LastRun(id) => match self.last_run(id).await? {
                None => return Ok((None, Vec::new())),
                run => (id, run),
            },
        };
        // What branches did that are not shown is there all the same.
        let aside = match run {
            Some(_) => aside(self.store(), id).await?,
            None => Vec::new(),
        };
        let is_meant = self.0.rounds_from(id, run.unwrap_or(0), aside);
        Ok((run, workspace.altered(&Span::Rounds(&is_meant)).await?))
    }

    /// The record with which the last run of a session began that changed files.
    async fn last_run(&self, id: &str) -> Result<Option<u64>, WorkspaceError> {
        let checkpoints = self.0.workspace.checkpoints().await?;
        let rounds: Vec<&Origin> = checkpoints.iter().filter_map(Checkpoint::round).collect();
        let records = session::records(self.store(), id).await?;
        let aside = aside(self.store(), id).await?;
        let tasks = records.iter().rev();
        let mut runs = tasks.filter(|record| matches!(record.entry, Entry::User { .. }));
        let run = runs.find(|record| {
            let is_meant = self.0.rounds_from(id, record.seq, aside.clone());
            rounds.iter().any(|round| is_meant(round))
        });
        Ok(run.map(|record| record.seq))
    }
}

impl Inner {
    /// The change without its lines.
    async fn counted(&self, altered: &Altered) -> ChangedFile {
        let diff = match self.contents(altered).await {
            Some([was, is]) => {
                let both = (was.as_deref(), is.as_deref());
                diff_within(altered.path.as_str(), both, 0)
            }
            None => FileDiff::bare("", DiffKind::Binary, None),
        };
        ChangedFile {
            path: altered.path.as_str().to_owned(),
            from: altered.from.as_ref().map(|from| from.as_str().to_owned()),
            kind: kind(altered, diff.kind),
            added: diff.added,
            removed: diff.removed,
            mark: altered.mark(),
        }
    }

    async fn change_view(&self, altered: &Altered) -> ChangeView {
        let size = |node: &Option<Node>| Some(node.as_ref()?.content()?.1);
        let sizes = ChangeView::Sizes {
            was: size(&altered.was),
            is: size(&altered.is),
        };
        let path = altered.path.as_str();
        // Whatever is no image is compared only up to a size.
        let is_image = matches!(view(path, Vec::new()), FileView::Image { .. });
        let contents = match is_image {
            true => self.all_contents(altered).await,
            false => self.contents(altered).await,
        };
        let Some([was, is]) = contents else {
            return sizes;
        };
        if let FileView::Image { mime, .. } = view(path, Vec::new()) {
            return ChangeView::Image { mime, was, is };
        }
        let mut diff = diff_within(path, (was.as_deref(), is.as_deref()), MAX_LINES);
        if diff.kind == DiffKind::Binary {
            return sizes;
        }
        diff.kind = kind(altered, diff.kind);
        diff.from = altered.from.as_ref().map(|from| from.as_str().to_owned());
        ChangeView::Lines(diff)
    }

    /// What was and what is there, if both can be compared.
    async fn contents(&self, altered: &Altered) -> Option<[Option<Vec<u8>>; 2]> {
        let size = |node: &Option<Node>| Some(node.as_ref()?.content()?.1);
        let sizes = [&altered.was, &altered.is].into_iter().filter_map(size);
        match sizes.max() {
            Some(size) if size > MAX_COMPARED => None,
            _ => self.all_contents(altered).await,
        }
    }

    async fn all_contents(&self, altered: &Altered) -> Option<[Option<Vec<u8>>; 2]> {
        let mut contents = [None, None];
        for (content, node) in contents.iter_mut().zip([&altered.was, &altered.is]) {
            if let Some((version, size)) = node.as_ref().and_then(Node::content) {
                *content = Some(self.workspace.content(version, size).await.ok()??);
            }
        }
        Some(contents)
    }
}

/// Those that say something: a folder goes without saying where something in it is told.
fn shown(mut all: Vec<Altered>) -> Vec<Altered> {
    let above: BTreeSet<WorkspacePath> = all
        .iter()
        .flat_map(|altered| altered.path.ancestors().chain(old_place(altered)))
        .collect();
    all.retain(|altered| !is_folder(altered) || !above.contains(&altered.path));
    all
}

/// The folders that a moved file was in.
fn old_place(altered: &Altered) -> impl Iterator<Item = WorkspacePath> {
    altered.from.iter().flat_map(WorkspacePath::ancestors)
}

fn is_folder(altered: &Altered) -> bool {
    let is_file = |node: &Option<Node>| matches!(node, Some(Node::File { .. }));
    !is_file(&altered.was) && !is_file(&altered.is)
}

fn is_new_folder(altered: &Altered) -> bool {
    altered.was.is_none() && altered.is == Some(Node::Folder)
}

/// What has become of a file, where its contents come to `of_lines`.
fn kind(altered: &Altered, of_lines: DiffKind) -> DiffKind {
    match (&altered.was, &altered.is) {
        _ if altered.from.is_some() => DiffKind::Moved,
        (None, Some(Node::Folder)) => DiffKind::NewFolder,
        (Some(Node::Folder), None) => DiffKind::DeletedFolder,
        (None | Some(Node::Folder), _) => DiffKind::New,
        (_, None | Some(Node::Folder)) => DiffKind::Deleted,
        _ => of_lines,
    }
}
