//! What commands do to the files.

use std::sync::Arc;

use super::tree::{Content, Node, below, problem_of};
use super::{Overlay, Problem};

/// Most bytes that a command may write, all files together.
const MAX_WRITTEN: usize = 256 << 20;
/// Largest file that the workspace takes, in bytes.
pub(super) const MAX_FILE: usize = 100 << 20;

/// Whether folders above are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// They are, where they are missing.
    Make,
    /// They are there.
    AreThere,
}

/// What is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A file, or a folder in which nothing is.
    Itself,
    /// A folder with all that is in it, too.
    All,
}

impl Overlay {
    /// Sets a file's content. The folder is there.
    ///
    /// # Errors
    /// If a folder is in the way, the name can't be, or it is too much.
    pub fn write(&mut self, path: &str, content: &[u8]) -> Result<(), Problem> {
        self.may_be(path)?;
        if self.look(path).is_ok_and(|look| look.is_folder) {
            return Err(Problem::IsFolder);
        }
        self.has_room(path, content.len())?;
        self.put(path, Content::Own(Arc::new(content.to_vec())));
        Ok(())
    }

    /// Adds to a file, whose content is here.
    ///
    /// # Errors
    /// As [`Overlay::write`].
    pub fn append(&mut self, path: &str, more: &[u8], before: Arc<Vec<u8>>) -> Result<(), Problem> {
        self.may_be(path)?;
        self.has_room(path, before.len() + more.len())?;
        // What nobody else holds is added to where it lies.
        if let Some(Node::File {
            content: Content::Own(bytes),
            modified_ms,
        }) = self.now.get_mut(path)
        {
            drop(before);
            Arc::make_mut(bytes).extend_from_slice(more);
            *modified_ms = self.clock_ms;
            return Ok(());
        }
        let bytes = [before.as_slice(), more].concat();
        self.put(path, Content::Own(Arc::new(bytes)));
        Ok(())
    }

    /// Makes a folder, and those above it if `parents` are wanted.
    ///
    /// # Errors
    /// If a file is in the way, or the name can't be.
    pub fn make_folder(&mut self, path: &str, parents: Parents) -> Result<(), Problem> {
        self.may_be(path)?;
        if parents == Parents::Make {
            let above: Vec<&str> = path.match_indices('/').map(|(at, _)| &path[..at]).collect();
            for folder in above {
                self.folder_at(folder)?;
            }
        }
        self.folder_at(path)
    }

    fn folder_at(&mut self, path: &str) -> Result<(), Problem> {
        match self.now.get(path) {
            Some(Node::Folder { .. }) => Ok(()),
            Some(Node::File { .. }) => Err(Problem::Exists),
            None => {
                let modified_ms = self.clock_ms;
                self.now
                    .insert(path.to_owned(), Node::Folder { modified_ms });
                Ok(())
            }
        }
    }

    /// Removes a file, or a folder: with all that is in it if `all` of it shall go.
    ///
    /// # Errors
    /// If there is nothing, or something in the folder.
    pub fn remove(&mut self, path: &str, what: What) -> Result<(), Problem> {
        if path.is_empty() {
            return Err(Problem::NotEmpty);
        }
        let inside: Vec<String> = match self.look(path)?.is_folder {
            true => below(&self.now, path)
                .map(|(path, _)| path.clone())
                .collect(),
            false => Vec::new(),
        };
        if !inside.is_empty() && what == What::Itself {
            return Err(Problem::NotEmpty);
        }
        for path in inside.iter().map(String::as_str).chain([path]) {
            self.now.remove(path);
            self.modes.remove(path);
        }
        Ok(())
    }

    /// Moves a file, or a folder with all in it; a file in the way is replaced.
    ///
    /// # Errors
    /// If there is nothing, or a folder with something in it is in the way.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Problem> {
        let moved = self.look(from)?;
        if from == to {
            return Ok(());
        }
        if from.is_empty()
            || to
                .strip_prefix(from)
                .is_some_and(|rest| rest.starts_with('/'))
        {
            return Err(Problem::IntoItself);
        }
        self.may_be(to)?;
        if let Ok(there) = self.look(to) {
            match (moved.is_folder, there.is_folder) {
                (true, false) => return Err(Problem::NotFolder),
                (false, true) => return Err(Problem::IsFolder),
                _ => self.remove(to, What::Itself)?,
            }
        }
        let inside = below(&self.now, from).map(|(path, _)| path.clone());
        let all: Vec<String> = std::iter::once(from.to_owned()).chain(inside).collect();
        for path in all {
            let new = format!("{to}{}", &path[from.len()..]);
            self.may_be(&new)?;
            if let Some(mode) = self.modes.remove(&path) {
                self.modes.insert(new.clone(), mode);
            }
            if let Some(node) = self.now.remove(&path) {
                self.now.insert(new, node);
            }
        }
        Ok(())
    }

    /// Puts a file at `to` that has the content of `from`.
    ///
    /// # Errors
    /// If there is no such file, or a folder is in the way.
    pub fn copy(&mut self, from: &str, to: &str) -> Result<(), Problem> {
        self.may_be(to)?;
        let content = match self.now.get(from) {
            Some(Node::File { content, .. }) => content.clone(),
            Some(Node::Folder { .. }) => return Err(Problem::IsFolder),
            None => return Err(Problem::NotFound),
        };
        if self.look(to).is_ok_and(|look| look.is_folder) {
            return Err(Problem::IsFolder);
        }
        self.put(to, content);
        if let Some(mode) = self.modes.get(from).copied() {
            self.modes.insert(to.to_owned(), mode);
        }
        Ok(())
    }

    /// Sets permissions, which last as long as the shell.
    ///
    /// # Errors
    /// [`Problem::NotFound`].
    pub fn set_mode(&mut self, path: &str, mode: u32) -> Result<(), Problem> {
        self.look(path)?;
        self.modes.insert(path.to_owned(), mode & 0o7777);
        Ok(())
    }

    /// Sets a time of change, which lasts as long as the command.
    ///
    /// # Errors
    /// [`Problem::NotFound`].
    pub fn set_modified(&mut self, path: &str, new_ms: u64) -> Result<(), Problem> {
        match self.now.get_mut(path) {
            Some(Node::File { modified_ms, .. } | Node::Folder { modified_ms }) => {
                *modified_ms = new_ms;
                Ok(())
            }
            None => Err(Problem::NotFound),
        }
    }

    fn put(&mut self, path: &str, content: Content) {
        let modified_ms = self.clock_ms;
        let file = Node::File {
            modified_ms,
            content,
        };
        self.now.insert(path.to_owned(), file);
    }

    /// Whether something may be at `path`: the kernel looks at it once more.
    fn may_be(&self, path: &str) -> Result<(), Problem> {
        if path.is_empty() {
            return Err(Problem::IsFolder);
        }
        match problem_of(path) {
            Some(problem) => Err(Problem::BadName(problem)),
            None => Ok(()),
        }
    }

    fn has_room(&self, path: &str, bytes: usize) -> Result<(), Problem> {
        let written = self.now.iter().filter_map(|(at, node)| match node {
            Node::File {
                content: Content::Own(bytes),
                ..
            } if at != path => Some(bytes.len()),
            _ => None,
        });
        let is_large = bytes > 1 << 20 && written.sum::<usize>() + bytes > MAX_WRITTEN;
        match is_large || bytes > MAX_FILE {
            true => Err(Problem::Full),
            false => Ok(()),
        }
    }
}
