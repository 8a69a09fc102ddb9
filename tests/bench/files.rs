//! The workspace over IndexedDB, and a kernel that files are brought into, for the bench in the
//! browser (`files.html`): the code that the app runs, compiled as the app is.

#[cfg(target_arch = "wasm32")]
mod files {
    use std::cell::RefCell;
    use std::rc::Rc;

    use js_sys::{Array, Uint8Array};
    use tabloop::browser::clock::{BrowserClock, BrowserRandom};
    use tabloop::browser::fetch::FetchTransport;
    use tabloop::browser::handed;
    use tabloop::browser::indexed_db::IndexedDb;
    use tabloop::browser::vault::BrowserVault;
    use tabloop::kernel::link::NoDisks;
    use tabloop::kernel::service::{Kernel, Platform};
    use tabloop::kernel::shrink::not_at_all;
    use tabloop::kernel::store::{Durability, Store, StoreError};
    use tabloop::kernel::tabs::{Channel, ClaimedStore, Hint, Listener};
    use tabloop::kernel::tool::{NoRun, ToolContext, ToolError, ToolRegistry};
    use tabloop::kernel::workspace::{
        Expect, FileChange, Origin, Workspace, WorkspaceError, WorkspacePath,
    };
    use tabloop::protocol::{Access, Command, Event, HandedFile, Notice, Storage};
    use wasm_bindgen::prelude::*;

    /// The workspace of a kernel.
    const WORKSPACE: &str = "default";

    /// Nobody hears what is saved.
    struct Alone;

    impl Channel for Alone {
        fn tell(&self, _: Vec<Hint>) {}
        fn listen(&self, _: Listener) {}
    }

    /// A database as the tab has it that writes.
    async fn claimed(database: Rc<IndexedDb>) -> Result<Rc<dyn Store>, StoreError> {
        let on_lost = Rc::new(|| {});
        Ok(ClaimedStore::inherit(database, Rc::new(Alone), on_lost).await?)
    }

    /// A kernel over a database of its own, as the page has it.
    #[wasm_bindgen]
    pub struct Importer {
        kernel: Kernel,
        told: Rc<RefCell<Vec<Event>>>,
    }

    #[wasm_bindgen]
    impl Importer {
        /// Opens the database, or makes it.
        pub async fn open(database: String) -> Result<Importer, JsError> {
            let database = Rc::new(IndexedDb::open(&database).await?);
            let platform = Platform {
                store: claimed(Rc::clone(&database)).await?,
                storage: Storage::Browser,
                access: Access::Writer,
                clock: Rc::new(BrowserClock),
                random: Rc::new(BrowserRandom),
                transport: Rc::new(FetchTransport),
                tools: ToolRegistry::standard(),
                vault: Rc::new(BrowserVault {
                    database: Some(database),
                }),
                stage: Rc::default(),
                compose: str::to_owned,
                disks: Rc::new(NoDisks),
                shrink: not_at_all,
            };
            let told: Rc<RefCell<Vec<Event>>> = Rc::default();
            let outlet = Rc::clone(&told);
            let outlet = Rc::new(move |event| outlet.borrow_mut().push(event));
            let kernel = Kernel::start(platform, None, outlet).await?;
            Ok(Self { kernel, told })
        }

        /// Brings in what lies in `message` as the page hands it over, pairs of a number and
        /// a file; gives how many files are new.
        pub async fn bring_in(&self, message: JsValue, paths: Array) -> u32 {
            let mut files = Vec::new();
            let handed = handed::take(&message).into_iter().zip(paths.iter());
            for ((id, source), path) in handed {
                self.kernel.hand(id, source);
                let path = path.as_string().unwrap_or_default();
                files.push(HandedFile { path, id });
            }
            self.kernel.handle(Command::BringIn(files)).await;
            let counts = self.told.take().into_iter().map(|event| match event {
                Event::Notice(Notice::Imported(report)) => report.files as u32,
                _ => 0,
            });
            counts.sum()
        }
    }

    /// A workspace in a database of its own.
    #[wasm_bindgen]
    pub struct Files(Workspace);

    #[wasm_bindgen]
    impl Files {
        /// Opens the database, makes it if it is not there, and reads all names.
        pub async fn open(database: String) -> Result<Files, JsError> {
            let store = claimed(Rc::new(IndexedDb::open(&database).await?)).await?;
            let workspace = Workspace::open(store, Rc::new(BrowserClock), WORKSPACE).await?;
            Ok(Self(workspace))
        }

        /// How many files and folders there are.
        pub fn count(&self) -> usize {
            self.0.nodes().len()
        }

        /// Writes files all together, bound to a flush of the disk or not.
        pub async fn write(
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
            let alone = NoRun::default();
            let context = ToolContext {
                workspace: &self.0,
                call_id: "1",
                run: &alone,
                others: &alone,
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
}

fn main() {}
