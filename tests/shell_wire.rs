//! Kernel and shell are built apart: each reads what the other writes.
#![cfg(not(target_arch = "wasm32"))]

use tabloop::kernel::tool::bash::link;
use tabloop::plain::{from_json, to_json};
use tabloop_shell::message;
use tabloop_shell::overlay::Overlay;

#[test]
fn the_shell_reads_what_the_kernel_writes() {
    let run = link::ToShell::Run {
        command: "echo \"早\"\n".into(),
        index: "/ src\n".into(),
    };
    let read: message::ToShell = serde_json::from_str(&to_json(&run)).unwrap();
    let expected = message::ToShell::Run {
        command: "echo \"早\"\n".into(),
        index: "/ src\n".into(),
    };
    assert_eq!(read, expected);

    let given = |is_there, content: &[u8]| link::Given {
        is_there,
        content: content.into(),
    };
    let mut contents = link::ToShell::Contents(vec![given(true, b"\0a"), given(false, b"")]);
    let bytes: Vec<Vec<u8>> = contents.bytes().into_iter().map(std::mem::take).collect();
    let mut read: message::ToShell = serde_json::from_str(&to_json(&contents)).unwrap();
    read.fill(bytes);
    let message::ToShell::Contents(read) = read else {
        panic!("{read:?}");
    };
    assert_eq!(
        (read[0].is_there, read[0].content.as_slice()),
        (true, &b"\0a"[..])
    );
    assert_eq!((read[1].is_there, read[1].content.len()), (false, 0));
}

#[test]
fn the_kernel_reads_what_the_shell_writes() {
    let mut overlay = Overlay::default();
    overlay.begin("/ dir\n1 5 aa dir/a\n1 5 bb b");
    overlay.rename("dir/a", "c").unwrap();
    overlay
        .remove("dir", tabloop_shell::overlay::What::All)
        .unwrap();
    overlay.write("b", b"\xff\0").unwrap();
    overlay
        .make_folder("new", tabloop_shell::overlay::Parents::AreThere)
        .unwrap();
    let mut done = message::FromShell::Done {
        exit_code: 3,
        stdout: "out\n".into(),
        stderr: "err".into(),
        folder: "/workspace".into(),
        changes: overlay.changes(),
    };
    let bytes = done.take_bytes();
    let text = serde_json::to_string(&done).unwrap();
    let mut read: link::FromShell = from_json(&text).unwrap();
    for (place, bytes) in read.bytes().into_iter().zip(bytes) {
        *place = bytes;
    }
    let path = |path: &str| path.to_owned();
    let changes = vec![
        link::Changed::Gone { path: path("dir") },
        link::Changed::Gone {
            path: path("dir/a"),
        },
        link::Changed::File {
            path: path("b"),
            content: vec![0xff, 0],
        },
        link::Changed::Same {
            path: path("c"),
            from: path("dir/a"),
        },
        link::Changed::Folder { path: path("new") },
    ];
    let expected = link::FromShell::Done {
        exit_code: 3,
        stdout: path("out\n"),
        stderr: path("err"),
        folder: path("/workspace"),
        changes,
    };
    assert_eq!(read, expected);

    let need = message::FromShell::Need(vec![path("a"), path("早")]);
    let read = from_json(&serde_json::to_string(&need).unwrap());
    assert_eq!(
        read,
        Some(link::FromShell::Need(vec![path("a"), path("早")]))
    );
    // What the worker's script says itself.
    let loading = from_json(r#"{"Loading":{"got":1,"of":2}}"#);
    assert_eq!(loading, Some(link::FromShell::Loading { got: 1, of: 2 }));
    assert_eq!(from_json("\"Ready\""), Some(link::FromShell::Ready));
    assert_eq!(
        from_json(r#"{"Failed":"x"}"#),
        Some(link::FromShell::Failed("x".into()))
    );
}
