//! Kernel and shell are built apart, with the same messages: what an overlay came to arrives
//! as it was, bytes and all, and so does what the worker's script says by itself.
#![cfg(not(target_arch = "wasm32"))]

use tabloop::kernel::tool::bash::link::{Changed, FromShell};
use tabloop::plain::from_json;
use tabloop_shell::messages;
use tabloop_shell::overlay::{Overlay, Parents, What};

#[test]
fn what_a_command_did_to_files_comes_to_the_kernel() {
    let mut overlay = Overlay::default();
    overlay.begin("/ dir\n1 5 aa dir/a\n1 5 bb b");
    overlay.rename("dir/a", "c").unwrap();
    overlay.remove("dir", What::All).unwrap();
    overlay.write("b", b"\xff\0").unwrap();
    overlay.make_folder("new", Parents::AreThere).unwrap();
    let mut done = messages::FromShell::Done {
        exit_code: 3,
        stdout: "out\n".into(),
        stderr: "早".into(),
        folder: "/workspace".into(),
        changes: overlay.changes(),
    };
    let beside: Vec<Vec<u8>> = done.bytes().into_iter().map(std::mem::take).collect();
    let mut read: FromShell = from_json(&tabloop_shell::plain::to_json(&done)).unwrap();
    for (place, bytes) in read.bytes().into_iter().zip(beside) {
        *place = bytes;
    }
    let path = |path: &str| path.to_owned();
    let changes = vec![
        Changed::Gone { path: path("dir") },
        Changed::Gone {
            path: path("dir/a"),
        },
        Changed::File {
            path: path("b"),
            content: vec![0xff, 0],
        },
        Changed::Same {
            path: path("c"),
            from: path("dir/a"),
        },
        Changed::Folder { path: path("new") },
    ];
    let expected = FromShell::Done {
        exit_code: 3,
        stdout: path("out\n"),
        stderr: path("早"),
        folder: path("/workspace"),
        changes,
    };
    assert_eq!(read, expected);
}

#[test]
fn what_the_script_of_the_worker_says_is_read() {
    let loading = from_json(r#"{"Loading":{"got":1,"of":2}}"#);
    assert_eq!(loading, Some(FromShell::Loading { got: 1, of: 2 }));
    assert_eq!(from_json("\"Ready\""), Some(FromShell::Ready));
    let failed = from_json(r#"{"Failed":"x"}"#);
    assert_eq!(failed, Some(FromShell::Failed("x".into())));
}
