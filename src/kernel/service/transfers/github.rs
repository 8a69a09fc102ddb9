//! A public repository of GitHub's: its list of files by the API, each file as it is.
//! The archives that GitHub offers can't be read by web pages: their host lets none in.

use futures::StreamExt;
use futures::future::join_all;

use super::intake::{Intake, Under};
use super::{Halt, Kernel, Meter};
use crate::kernel::cancel::CancelToken;
use crate::kernel::model::{HttpRequest, HttpResponse, Method};
use crate::kernel::workspace::MAX_FILE;
use crate::plain::{Plain, from_json};
use crate::protocol::{Report, Why};

/// Files that are asked for at once, and bytes of them together.
const AT_ONCE: usize = 12;
const BYTES_AT_ONCE: u64 = 16 << 20;
/// Most files of a repository: each is a request.
const MOST: usize = 5_000;
/// Longest list of files, in bytes.
const LONGEST_LIST: usize = 16 << 20;

/// A repository, and what of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    pub owner: String,
    pub name: String,
    /// A branch, tag or commit.
    pub reference: String,
}

/// Reads an address as users paste it: `https://github.com/owner/name`, with `.git`, or
/// with `/tree/branch` behind it, or only `owner/name`.
pub(super) fn repository(address: &str) -> Option<Repository> {
    let text = address.trim();
    let text = text.split(['?', '#']).next()?;
    let text = text.strip_prefix("git@github.com:").unwrap_or(text);
    let text = text
        .split_once("://")
        .map_or(text, |(_, behind)| behind)
        .trim_end_matches('/');
    let text = text.strip_prefix("www.").unwrap_or(text);
    let text = text.strip_prefix("github.com/").unwrap_or(text);
    let mut parts = text.splitn(4, '/');
    let (owner, name) = (parts.next()?, parts.next()?);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let is_name = |name: &str| {
        let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !name.is_empty() && name.len() <= 100 && name.chars().all(is_sign) && name != ".."
    };
    let reference = match (parts.next(), parts.next()) {
        (None, _) => "HEAD",
        (Some("tree" | "commit"), Some(reference)) => reference,
        _ => return None,
    };
    let is_reference = reference.split('/').all(is_name);
    (is_name(owner) && !owner.contains('.') && is_name(name) && is_reference).then(|| Repository {
        owner: owner.to_owned(),
        name: name.to_owned(),
        reference: reference.to_owned(),
    })
}

/// The list of files as GitHub gives it.
#[derive(Debug, Plain)]
struct Listed {
    tree: Vec<Item>,
    #[plain(default)]
    truncated: bool,
}

#[derive(Debug, Plain)]
struct Item {
    path: String,
    mode: String,
    #[plain(default)]
    size: Option<u64>,
}

impl Kernel {
    /// Brings in a repository by its address.
    pub(in crate::kernel::service) async fn bring_in_repository(&self, address: &str) {
        let mut report = Report::default();
        let Some(repository) = repository(address) else {
            let name = address.chars().take(200).collect();
            let why = Why::NoRepository;
            report.left_out.push(crate::protocol::LeftOut { name, why });
            return self.report(report);
        };
        let name = format!("{}/{}", repository.owner, repository.name);
        self.in_turn(async |token| {
            let meter = Meter::new(self, token, &name, 0);
            meter.show();
            let result = match token
                .guard(self.fetch_all(&repository, &meter, token))
                .await
            {
                Ok(result) => result,
                Err(_) => Err(Halt::Stopped),
            };
            // What the store says is told as any other reason.
            drop(self.settle(&name, result, (&mut report, &meter)).await);
        })
        .await;
        self.report(report);
    }

    async fn fetch_all(
        &self,
        repository: &Repository,
        meter: &Meter,
        _token: &CancelToken,
    ) -> Result<Intake<'_>, Halt> {
        let Repository {
            owner,
            name,
            reference,
        } = repository;
        let api = format!("https://api.github.com/repos/{owner}/{name}");
        // The commit first, so that all files are of the same one.
        let commit = self
            .fetch(
                format!("{api}/commits/{reference}"),
                Some("application/vnd.github.sha"),
                1_000,
            )
            .await?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        if commit.len() < 40 || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Halt::Why(Why::Network));
        }
        let list = format!("{api}/git/trees/{commit}?recursive=1");
        let list = self.fetch(list, None, LONGEST_LIST).await?;
        let listed = std::str::from_utf8(&list)
            .ok()
            .and_then(from_json::<Listed>);
        let listed = listed.ok_or(Halt::Why(Why::Network))?;
        if listed.truncated || listed.tree.len() > MOST * 2 {
            return Err(Halt::Why(Why::TooMany));
        }
        // One folder above all, which is named as the repository.
        let mut intake = Intake::new(&self.0.workspace, Under::Paths, self.0.platform.compose);
        let mut files = Vec::new();
        for item in &listed.tree {
            let given = format!("{name}/{}", item.path);
            match item.mode.as_str() {
                "100644" | "100755" | "100664" => files.push((given, item)),
                "120000" => intake.leave_out(&given, Why::Link),
                "160000" => intake.leave_out(&given, Why::Submodule),
                _ => {}
            }
        }
        if files.len() > MOST {
            return Err(Halt::Why(Why::TooMany));
        }
        meter.set_all(files.iter().filter_map(|(_, item)| item.size).sum());
        let raw = format!("https://raw.githubusercontent.com/{owner}/{name}/{commit}");
        self.fetch_files(&raw, &files, &mut intake, meter).await?;
        Ok(intake)
    }

    async fn fetch_files(
        &self,
        raw: &str,
        files: &[(String, &Item)],
        intake: &mut Intake<'_>,
        meter: &Meter,
    ) -> Result<(), Halt> {
        let size = |item: &Item| item.size.unwrap_or_default();
        let (mut rest, mut done) = (files, 0);
        while !rest.is_empty() {
            let mut sum = 0;
            let fits = |(_, item): &&(String, &Item)| {
                sum += size(item);
                sum <= BYTES_AT_ONCE
            };
            let count = rest.iter().take(AT_ONCE).take_while(fits).count().max(1);
            let (now, later) = rest.split_at(count);
            rest = later;
            let mut wanted = Vec::new();
            for (given, item) in now {
                done += size(item);
                if let Some(path) = intake.place(given, size(item)) {
                    wanted.push((given, path, item));
                }
            }
            let fetched = wanted.iter().map(async |(_, _, item)| {
                self.fetch(format!("{raw}/{}", escaped(&item.path)), None, MAX_FILE)
                    .await
            });
            let fetched = join_all(fetched).await;
            for ((given, path, item), content) in wanted.into_iter().zip(fetched) {
                let content = content?;
                if item.size.is_some_and(|size| size != content.len() as u64) {
                    return Err(Halt::Why(Why::Network));
                }
                let now = self.0.platform.clock.now_ms();
                intake.put(given, path, content, now).await?;
                meter.count();
            }
            meter.at(done).await?;
        }
        Ok(())
    }

    /// The body of an answer, up to so many bytes.
    async fn fetch(&self, url: String, accept: Option<&str>, most: usize) -> Result<Vec<u8>, Halt> {
        let accept = accept.map(|accept| ("Accept".to_owned(), accept.to_owned()));
        let request = HttpRequest {
            method: Method::Get,
            url,
            headers: accept.into_iter().collect(),
            body: Vec::new(),
        };
        let sent = self.0.platform.transport.send(request).await;
        let mut response = sent.map_err(|_| Halt::Why(Why::Network))?;
        if response.status != 200 {
            return Err(Halt::Why(refusal(&response)));
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.body.next().await {
            bytes.extend(piece.map_err(|_| Halt::Why(Why::Network))?);
            if bytes.len() > most {
                return Err(Halt::Why(Why::TooLarge));
            }
        }
        Ok(bytes)
    }
}

fn refusal(response: &HttpResponse) -> Why {
    let minutes = response
        .retry_after
        .as_deref()
        .and_then(|text| text.trim().parse::<u64>().ok())
        .map(|seconds| seconds.div_ceil(60));
    match response.status {
        // GitHub does not tell private ones from those that do not exist.
        404 | 422 => Why::NotFound,
        // 60 requests an hour are free without an account.
        403 | 429 => Why::RateLimited(minutes),
        status => Why::Refused(status),
    }
}

/// A path for an address, its names escaped.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_they_are_pasted() {
        let check = |address: &str, expected: Option<(&str, &str, &str)>| {
            let found = repository(address);
            let found = found.as_ref().map(|found| {
                (
                    found.owner.as_str(),
                    found.name.as_str(),
                    found.reference.as_str(),
                )
            });
            assert_eq!(found, expected, "{address}");
        };
        check("https://github.com/ab/c.d", Some(("ab", "c.d", "HEAD")));
        check(" http://www.github.com/ab/cd/ ", Some(("ab", "cd", "HEAD")));
        check("https://github.com/ab/cd.git", Some(("ab", "cd", "HEAD")));
        check("git@github.com:ab/cd.git", Some(("ab", "cd", "HEAD")));
        check("ab/cd", Some(("ab", "cd", "HEAD")));
        check(
            "https://github.com/ab/cd?tab=x#readme",
            Some(("ab", "cd", "HEAD")),
        );
        check(
            "https://github.com/ab/cd/tree/feature/x",
            Some(("ab", "cd", "feature/x")),
        );
        check("https://github.com/ab/cd/issues/4", None);
        check("https://example.com/ab", None);
        check("https://example.com/ab/cd", None);
        check("https://github.com/ab/../cd", None);
        check("ab", None);
        check("", None);
    }

    #[test]
    fn names_in_addresses_are_escaped() {
        assert_eq!(escaped("a b/é#?.md"), "a%20b/%C3%A9%23%3F.md");
    }
}
