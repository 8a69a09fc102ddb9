//! The workspace over IndexedDB alone, for the bench in the browser (`files.html`): the
//! code that the app runs, compiled as the app is.

#[cfg(target_arch = "wasm32")]
mod files {
    use std::rc::Rc;
    use std::time::Duration;

    use futures::future::LocalBoxFuture;
    use js_sys::{Array, Uint8Array};
    use tabloop::browser::clock::BrowserClock;
    use tabloop::browser::indexed_db::IndexedDb;
    use tabloop::kernel::event::{About, Progress, Reply};
    use tabloop::kernel::store::Durability;
    use tabloop::kernel::tool::{Locker, RunHandle, ToolContext, ToolError, ToolRegistry};
    use tabloop::kernel::workspace::{
        Expect, FileChange, Origin, Version, Workspace, WorkspaceError, WorkspacePath,
    };
    use wasm_bindgen::prelude::*;

    /// A workspace in a database of its own.
    #[wasm_bindgen]
    pub struct Files(Workspace);

    #[wasm_bindgen]
    impl Files {
        /// Opens the database, makes it if it is not there, and reads all names.
        pub async fn open(database: String) -> Result<Files, JsError> {
            let store = Rc::new(IndexedDb::open(&database).await?);
            let workspace = Workspace::open(store, Rc::new(BrowserClock), "bench").await?;
            Ok(Self(workspace))
        }

        /// How many files and folders there are.
        pub fn count(&self) -> usize {
            self.0.nodes().len()
        }

        /// Brings in files all together, bound to a flush of the disk or not.
        pub async fn import(
            &self,
            paths: Array,
            contents: Array,
            strict: bool,
        ) -> Result<(), JsError> {
            let changes = changes(&paths, &contents)?;
            self.0
                .commit(&changes, Vec::new(), durability(strict))
                .await?;
            Ok(())
        }

        /// Writes files in a round of a run, which makes a checkpoint.
        pub async fn round(&self, seq: u32, paths: Array, contents: Array) -> Result<(), JsError> {
            let origin = Origin {
                session: "s".into(),
                run: 0,
                seq: seq.into(),
                round: 1,
            };
            let changes = changes(&paths, &contents)?;
            let relaxed = Durability::Relaxed;
            self.0
                .commit_in(Some(origin), &changes, Vec::new(), relaxed)
                .await?;
            Ok(())
        }

        /// Calls a tool; gives its result as the model would get it.
        pub async fn call(&self, tool: String, arguments: String) -> Result<String, JsError> {
            let prepared = ToolRegistry::standard().prepare(&tool, &arguments);
            let context = ToolContext {
                workspace: &self.0,
                call_id: "1",
                run: &NoRun::default(),
            };
            let failed = |text: String| JsError::new(&text);
            match prepared.map_err(failed)?.run(&context).await {
                Ok(output) => Ok(output.text),
                Err(ToolError::ForModel(text)) => Err(failed(text)),
                Err(ToolError::Fatal(failure)) => Err(failed(format!("{failure:?}"))),
            }
        }
    }

    fn durability(strict: bool) -> Durability {
        match strict {
            true => Durability::Strict,
            false => Durability::Relaxed,
        }
    }

    fn changes(paths: &Array, contents: &Array) -> Result<Vec<FileChange>, WorkspaceError> {
        let write = |(path, content): (JsValue, JsValue)| {
            let path = WorkspacePath::parse_file(&path.as_string().unwrap_or_default())?;
            let content = content.unchecked_into::<Uint8Array>().to_vec().into();
            let expect = Expect::Anything;
            Ok(FileChange::Write {
                path,
                content,
                expect,
            })
        };
        paths.iter().zip(contents.iter()).map(write).collect()
    }

    /// A run that has nothing to give.
    #[derive(Default)]
    struct NoRun(Locker);

    impl RunHandle for NoRun {
        fn ask<'a>(&'a self, _: &'a str, _: &'a str, _: About) -> LocalBoxFuture<'a, Reply> {
            Box::pin(async { Reply::Once })
        }

        fn recall<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Option<String>> {
            Box::pin(async { None })
        }

        fn delegate<'a>(
            &'a self,
            _: &'a str,
            _: String,
            _: Option<Vec<String>>,
        ) -> LocalBoxFuture<'a, Result<String, String>> {
            Box::pin(async { Err(String::new()) })
        }

        fn approved_steps(&self) -> Option<Vec<String>> {
            None
        }

        fn known(&self, _: &str) -> Option<Version> {
            None
        }

        fn breathe(&self) -> LocalBoxFuture<'static, ()> {
            Box::pin(async {})
        }

        fn may_read(&self, _: &str) -> bool {
            true
        }

        fn may_change(&self, _: &str) -> bool {
            true
        }

        fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }

        fn progress(&self, _: &str, _: Progress) {}

        fn locker(&self) -> &Locker {
            &self.0
        }
    }
}

fn main() {}
