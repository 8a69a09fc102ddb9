//! What `read_file` tells of files that are not plain text in UTF-8 with LF.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::json;
use support::tools::{bytes, told, told_once};

fn read(content: &[u8]) -> String {
    told_once(&[("f", content)], "read_file", json!({ "path": "f" }))
}

#[test]
fn marks_line_ends_and_encodings_are_told() {
    for (content, expected) in [
        (
            &b"a\r\nb\r\n"[..],
            "f, 2 lines, 6 bytes, lines end with CRLF\n1\ta\n2\tb\n[end of file]",
        ),
        (
            "\u{feff}a\n".as_bytes(),
            "f, 1 line, 5 bytes, begins with a byte order mark\n1\ta\n[end of file]",
        ),
        (
            b"\xFF\xFEh\0i\0",
            "f, 1 line, 6 bytes, not in UTF-8 but UTF-16 (LE): edit_file can't change it\n1\thi\n[end of file]",
        ),
        (
            b"\xFE\xFF\0h\0i",
            "f, 1 line, 6 bytes, not in UTF-8 but UTF-16 (BE): edit_file can't change it\n1\thi\n[end of file]",
        ),
        (
            b"caf\xE9\n",
            "f, 1 line, 5 bytes, not in UTF-8 but another encoding: edit_file can't change it\n1\tcaf\u{fffd}\n[end of file]",
        ),
    ] {
        assert_eq!(read(content), expected);
    }
}

#[test]
fn binary_files_are_told_by_their_kind() {
    let mut tar = vec![0; 512];
    tar[257..262].copy_from_slice(b"ustar");
    for (content, kind) in [
        (&b"BM\0\0\0\0"[..], "a BMP image of 6 bytes"),
        (b"\0\0\0\x18ftypmp42", "an MP4 or HEIF file of 12 bytes"),
        (b"\x7FELF\x02\x01\x01\0", "a program (ELF) of 8 bytes"),
        (&tar, "a TAR archive of 512 bytes"),
        (b"\x01\x02\xFF\x03\x04", "a binary file of 5 bytes"),
        (b"a\0b", "a binary file of 3 bytes"),
    ] {
        assert_eq!(
            read(content),
            format!("Error: f is not text but {kind}; only text can be read")
        );
    }
}

#[test]
fn no_edit_touches_what_is_not_utf_8() {
    let latin = b"caf\xE9\n";
    let (world, told) = told(
        &[("f", latin)],
        &[(
            "edit_file",
            json!({ "path": "f", "edits": [{ "old_text": "caf", "new_text": "tea" }] }),
        )],
    );
    assert!(
        told[0].starts_with("Error: f is not in UTF-8 but another encoding"),
        "{}",
        told[0]
    );
    assert_eq!(bytes(&world, "f").unwrap(), latin);
}
