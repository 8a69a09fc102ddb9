//! The shell's worker: one interpreter over the workspace. It runs the commands that the
//! kernel sends, one after the other, and tells what they print and what they change. It
//! keeps nothing: who ends it in the middle of a command loses what that did so far.

mod files;

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bashkit::{
    Bash, ExecOptions, ExecResult, ExecutionLimits, PosixFs, PythonLimits, SessionLimits,
};
use js_sys::Uint8Array;
use tabloop_shell::messages::{FromShell, ToShell};
use tabloop_shell::output::{Live, cut};
use tabloop_shell::plain::{from_json, to_json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use files::Files;

/// Where the workspace is for the shell.
const PLACE: &str = "/workspace";
/// The kernel's clock ends what takes too long: these only have to be out of its way.
const NEVER: Duration = Duration::from_secs(3_600);
/// Bytes that are read, and that stand in pipes at a time.
const MAX_INPUT: u64 = 2 << 30;
const MAX_PIPED: u64 = 256 << 20;
/// Memory that a Python program may take, in bytes.
const PYTHON_MEMORY: usize = 256 << 20;

thread_local! {
    static SHELL: RefCell<Option<Shell>> = const { RefCell::new(None) };
}

/// The interpreter and its files.
struct Shell {
    bash: Option<Bash>,
    files: Files,
}

#[wasm_bindgen]
extern "C" {
    /// Posts a message to the kernel (worker.mjs).
    #[wasm_bindgen(js_name = tellKernel)]
    fn tell_kernel(json: &str, bytes: Vec<Uint8Array>);
}

fn tell(mut message: FromShell) {
    let beside = message.bytes().into_iter().map(std::mem::take);
    let beside = beside.map(|bytes| Uint8Array::from(bytes.as_slice()));
    let beside = beside.collect();
    tell_kernel(&to_json(&message), beside);
}

fn main() {
    let files = Files::default();
    let limits = ExecutionLimits::cli()
        .max_work_units(u64::MAX)
        .max_aggregate_input_bytes(MAX_INPUT)
        .max_live_intermediate_bytes(MAX_PIPED)
        .timeout(NEVER);
    let python = PythonLimits::default()
        .max_duration(NEVER)
        .max_memory(PYTHON_MEMORY);
    let bash = Bash::builder()
        .env("BASHKIT_ALLOW_INPROCESS_PYTHON", "1")
        .username("user")
        .hostname("tabloop")
        .limits(limits)
        .session_limits(SessionLimits::unlimited())
        .python_with_limits(python)
        .cwd(PLACE)
        .build();
    let mounted = bash.mount(PLACE, Arc::new(PosixFs::new(files.clone())));
    assert!(mounted.is_ok(), "the workspace is a file system");
    SHELL.set(Some(Shell {
        bash: Some(bash),
        files,
    }));
}

/// Takes in a message of the kernel.
#[wasm_bindgen]
pub fn hear(json: &str, bytes: Vec<Uint8Array>) {
    let Some(mut message) = from_json::<ToShell>(json) else {
        return;
    };
    for (place, bytes) in message.bytes().into_iter().zip(&bytes) {
        *place = bytes.to_vec();
    }
    SHELL.with_borrow_mut(|shell| {
        let Some(shell) = shell else { return };
        match message {
            ToShell::Contents(given) => shell.files.take(given),
            ToShell::Run { command, index } => {
                if let Some(bash) = shell.bash.take() {
                    shell.files.begin(&index);
                    spawn_local(run(bash, shell.files.clone(), command));
                }
            }
        }
    });
}

async fn run(mut bash: Bash, files: Files, command: String) {
    let live = Arc::new(Mutex::new(Live::default()));
    let printed = |(stdout, stderr)| tell(FromShell::Printed { stdout, stderr });
    let more = Arc::clone(&live);
    let options = ExecOptions::new().streaming(Box::new(move |stdout, stderr| {
        let mut live = more.lock().unwrap_or_else(PoisonError::into_inner);
        let told = live.add(stdout.as_bytes(), stderr.as_bytes(), js_sys::Date::now());
        told.into_iter().for_each(printed);
    }));
    let result = bash.exec_with_options(&command, options).await;
    let result = result.unwrap_or_else(|error| ExecResult::err(format!("bash: {error}\n"), 1));
    let folder = bash.shell_state_view().cwd.to_string_lossy().into_owned();
    tell(FromShell::Done {
        exit_code: result.exit_code.unsigned_abs(),
        stdout: cut(result.stdout.as_bytes()),
        stderr: cut(result.stderr.as_bytes()),
        folder,
        changes: files.with(|overlay| overlay.changes()),
    });
    SHELL.with_borrow_mut(|shell| {
        if let Some(shell) = shell {
            shell.bash = Some(bash);
        }
    });
}
