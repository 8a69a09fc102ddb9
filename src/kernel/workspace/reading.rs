//! Reading what is in files: one, or many at once.

use super::load::Form;
use super::rows::{Row, chunk_count, content_key, numbered};
use super::take_over::first_content;
use super::{MAX_FILE, Version, Workspace, WorkspaceError, WorkspacePath};
use crate::kernel::store::{StoreError, Table, Value};

impl Workspace {
    /// The content of the file at `path` and the version it is.
    ///
    /// # Errors
    /// As [`Workspace::file`], and what the store says.
    pub async fn read(&self, path: &WorkspacePath) -> Result<(Vec<u8>, Version), WorkspaceError> {
        loop {
            let (size, version) = self.file(path)?;
            match self.content(&version, size).await? {
                Some(content) => return Ok((content, version)),
                // Replaced and let go while we read: look again.
                None if self.file(path)?.1 != version => {}
                None => {
                    let lost = format!("the content of {path} is missing");
                    return Err(StoreError::Corrupt(lost).into());
                }
            }
        }
    }

    /// A content of `size` bytes, of a file or of what a file was at a checkpoint; `None`
    /// if it is not there, or not whole.
    ///
    /// # Errors
    /// What the store says.
    pub async fn content(
        &self,
        version: &Version,
        size: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(content) = self.cache.borrow_mut().get(version) {
            return Ok(Some(content.to_vec()));
        }
        if let Some(content) = self.content_with_commit(version).await? {
            self.keep_near(version, &content);
            return Ok(Some(content));
        }
        // All at once: what grows bit by bit takes twice its size.
        let mut content = Vec::with_capacity(size.min(MAX_FILE as u64) as usize);
        for chunk in 0..chunk_count(size) {
            let key = content_key(&self.id, version, chunk);
            let mut row = self.store.get(Table::Blobs, key).await?;
            if row.is_none() && self.form.get() == Form::First {
                row = first_content(&*self.store, version, chunk).await?;
            }
            match row {
                Some(Value::Bytes(bytes)) => content.extend(bytes),
                _ => return Ok(None),
            }
        }
        if content.len() as u64 != size {
            return Ok(None);
        }
        self.keep_near(version, &content);
        Ok(Some(content))
    }

    /// A content that stands with its commit; another tab may have given it a row of its
    /// own since, and then it is found there.
    async fn content_with_commit(&self, version: &Version) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(commit) = self.with_commits.borrow().get(version).copied() else {
            return Ok(None);
        };
        let key = numbered(&self.id, commit);
        let value = self.store.get(Table::Changes, key.clone()).await?;
        let row = value.and_then(|value| Row::read(&key, &value));
        let contents = row.into_iter().flat_map(|row| row.contents);
        let mut wanted = contents.filter(|(of, _)| of == version);
        Ok(wanted.next().map(|(_, content)| content.to_vec()))
    }

    /// The contents of several files, read together as far as they are small; `None` where
    /// there is no file any more.
    ///
    /// # Errors
    /// As [`Workspace::read`].
    pub async fn read_all(
        &self,
        paths: &[WorkspacePath],
    ) -> Result<Vec<Option<Vec<u8>>>, WorkspaceError> {
        let file = |path| self.file(path).ok();
        let files: Vec<_> = paths.iter().map(file).collect();
        let mut contents = self.small(&files).await?;
        for (path, content) in paths.iter().zip(&mut contents) {
            if content.is_none() {
                *content = match self.read(path).await {
                    Ok((content, _)) => Some(content),
                    Err(WorkspaceError::NotFound(_) | WorkspaceError::IsFolder(_)) => None,
                    Err(error) => return Err(error),
                };
            }
        }
        Ok(contents)
    }

    /// Several contents, as [`Workspace::content`] gives each; they are read together as far
    /// as they are small. `None` asks for none.
    ///
    /// # Errors
    /// What the store says.
    pub async fn contents(
        &self,
        wanted: &[Option<(u64, Version)>],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut contents = self.small(wanted).await?;
        for (wanted, content) in wanted.iter().zip(&mut contents) {
            if let (None, Some((size, version))) = (&content, wanted) {
                *content = self.content(version, *size).await?;
            }
        }
        Ok(contents)
    }

    /// Those of the contents that are of one row and not near, read together.
    async fn small(
        &self,
        wanted: &[Option<(u64, Version)>],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let is_far = |version: &Version| {
            let (near, with_commits) = (self.cache.borrow(), self.with_commits.borrow());
            !near.has(version) && !with_commits.contains_key(version)
        };
        let (mut places, mut keys) = (Vec::new(), Vec::new());
        for (n, file) in wanted.iter().enumerate() {
            if let Some((size, version)) = file
                && chunk_count(*size) == 1
                && is_far(version)
            {
                places.push((n, *size, version));
                keys.push(content_key(&self.id, version, 0));
            }
        }
        let mut contents = vec![None; wanted.len()];
        if keys.is_empty() {
            return Ok(contents);
        }
        let rows = self.store.get_all(Table::Blobs, keys).await?;
        for ((n, size, version), row) in places.into_iter().zip(rows) {
            if let Some(Value::Bytes(content)) = row
                && content.len() as u64 == size
            {
                self.keep_near(version, &content);
                contents[n] = Some(content);
            }
        }
        Ok(contents)
    }

    fn keep_near(&self, version: &Version, content: &[u8]) {
        let mut cache = self.cache.borrow_mut();
        if !cache.has(version) {
            cache.put(version, content.into());
        }
    }
}
