//! The folder of the workspace that is linked: it may get another name or place, in the tree
//! or by a tool, and it may go. Then its files are not gone: the link goes along, or it is
//! told that the folder is missing.

use futures::lock::MutexGuard;

use super::Kernel;
use crate::kernel::link::Link;
use crate::kernel::link::look::{Broken, files_that_count};
use crate::kernel::link::moved::moved_to;
use crate::kernel::store::{Batch, Change, Durability};
use crate::kernel::workspace::{FileChange, Node, WorkspaceError, WorkspacePath};
use crate::protocol::Settling;

/// A link whose folder is about to be moved. Nothing is carried over while it is held.
pub(in crate::kernel::service) struct Moving<'a> {
    link: Link,
    /// What is to be saved along with the move.
    pub records: Vec<Change>,
    _turn: MutexGuard<'a, ()>,
}

impl Kernel {
    /// What goes along when the user moves what is at `from`; `None` if the link's folder is
    /// not part of it.
    pub(in crate::kernel::service) async fn link_moving(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Option<Moving<'_>> {
        self.moved_link(from, to)?;
        let turn = self.hush_link().await;
        let (link, root) = self.moved_link(from, to)?;
        // What can't be read now is found the next time both sides are compared.
        let known = link.known(self.store()).await.ok()?;
        let (link, records) = link.moved(&root, &known);
        Some(Moving {
            link,
            records,
            _turn: turn,
        })
    }

    /// The link, and where its folder will be.
    fn moved_link(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Option<(Link, WorkspacePath)> {
        let link = self.0.linked.link.borrow().clone()?;
        let root = link.root();
        let goes_along = root == *from || root.depth_below(from).is_some();
        let moved = goes_along.then(|| root.moved(from, to).ok()).flatten()?;
        Some((link, moved))
    }

    /// The folder was moved, and both sides are made the same from its new place.
    pub(in crate::kernel::service) async fn link_has_moved(&self, moving: Moving<'_>) {
        self.0.linked.link.replace(Some(moving.link));
        drop(moving._turn);
        self.sync_link(None).await;
    }

    /// The link as it is by now, if its folder was moved by whatever else.
    ///
    /// # Errors
    /// [`Broken::Missing`] if it was not found, and what the store says.
    pub(super) async fn follow_root(
        &self,
        link: Link,
        settling: Option<&Settling>,
    ) -> Result<Link, Broken> {
        let root = link.root();
        let workspace = &self.0.workspace;
        if root.is_root() || workspace.node(&root) == Some(Node::Folder) {
            return Ok(link);
        }
        let known = link.known(self.store()).await;
        let known = known.map_err(WorkspaceError::from)?;
        if known.is_empty() {
            // Nothing was the same on both sides: there is nothing to be missed.
            return Ok(link);
        }
        if settling == Some(&Settling::PutBack) {
            let forgotten = known.iter().map(|(path, _)| link.note(path, None));
            let folder = [FileChange::MakeFolder { path: root }];
            let done = workspace.commit(&folder, forgotten.collect(), Durability::Strict);
            let done = done.await?;
            self.tell_changed(&done);
            return Ok(link);
        }
        let files = files_that_count(workspace).await?;
        let found = moved_to(&files, &root, &known);
        let (moved, changes) = link.moved(&found.ok_or(Broken::Missing)?, &known);
        let saved = self.store().apply(Batch::of(changes).strict()).await;
        saved.map_err(WorkspaceError::from)?;
        self.0.linked.link.replace(Some(moved.clone()));
        Ok(moved)
    }
}
