//! Model servers on the user's own machine: which it may be, and what to run so that it lets
//! a page in.

use std::net::Ipv4Addr;

use crate::kernel::settings::{BaseUrl, is_loopback};

/// A server people run on their own machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalServer {
    /// <https://github.com/ollama/ollama>
    Ollama,
    /// <https://lmstudio.ai>
    LmStudio,
    /// <https://github.com/ggml-org/llama.cpp>
    LlamaCpp,
    /// <https://github.com/vllm-project/vllm>
    Vllm,
}

/// Where a line is to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In any shell.
    Shell,
    /// On macOS, with the app.
    MacOs,
    /// On Linux, with the service.
    Linux,
    /// On Windows, with the app.
    Windows,
}

impl LocalServer {
    const ALL: [LocalServer; 4] = [
        LocalServer::Ollama,
        LocalServer::LmStudio,
        LocalServer::LlamaCpp,
        LocalServer::Vllm,
    ];

    /// As its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            LocalServer::Ollama => "Ollama",
            LocalServer::LmStudio => "LM Studio",
            LocalServer::LlamaCpp => "llama.cpp",
            LocalServer::Vllm => "vLLM",
        }
    }

    /// The port it has unless told otherwise.
    fn usual_port(self) -> u16 {
        match self {
            LocalServer::Ollama => 11434,
            LocalServer::LmStudio => 1234,
            LocalServer::LlamaCpp => 8080,
            LocalServer::Vllm => 8000,
        }
    }

    /// Those that may listen at `base_url`: the one whose port it is, or all.
    pub fn at(base_url: &BaseUrl) -> Vec<Self> {
        let port = port_of(base_url);
        let at_port: Vec<Self> = Self::ALL
            .into_iter()
            .filter(|server| Some(server.usual_port()) == port)
            .collect();
        match at_port.is_empty() {
            true => Self::ALL.to_vec(),
            false => at_port,
        }
    }

    /// What to run so that pages of `origin` are let in at `base_url`.
    pub fn lines(self, base_url: &BaseUrl, origin: &str) -> Vec<(Place, String)> {
        let port = port_of(base_url).filter(|port| *port != self.usual_port());
        let port = |option: &str| port.map_or_else(String::new, |port| format!(" {option} {port}"));
        match self {
            LocalServer::Ollama => vec![
                (
                    Place::Shell,
                    format!("OLLAMA_ORIGINS=\"{origin}\" ollama serve"),
                ),
                (
                    Place::MacOs,
                    format!("launchctl setenv OLLAMA_ORIGINS \"{origin}\""),
                ),
                (
                    Place::Linux,
                    format!(
                        "sudo mkdir -p /etc/systemd/system/ollama.service.d && printf '[Service]\\nEnvironment=\"OLLAMA_ORIGINS={origin}\"\\n' | sudo tee /etc/systemd/system/ollama.service.d/origins.conf && sudo systemctl daemon-reload && sudo systemctl restart ollama"
                    ),
                ),
                (Place::Windows, format!("setx OLLAMA_ORIGINS \"{origin}\"")),
            ],
            LocalServer::LmStudio => {
                vec![(
                    Place::Shell,
                    format!("lms server start --cors{}", port("--port")),
                )]
            }
            LocalServer::LlamaCpp => {
                vec![(
                    Place::Shell,
                    format!("llama-server -m model.gguf --jinja{}", port("--port")),
                )]
            }
            LocalServer::Vllm => vec![(
                Place::Shell,
                format!(
                    "vllm serve MODEL --allowed-origins '[\"{origin}\"]'{}",
                    port("--port")
                ),
            )],
        }
    }
}

/// Whether a host is this machine or in its network.
pub fn is_near(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    let in_network = |address: Ipv4Addr| {
        address.is_private() || address.is_link_local() || address.is_loopback()
    };
    is_loopback(name) || name.ends_with(".local") || name.parse().is_ok_and(in_network)
}

fn port_of(base_url: &BaseUrl) -> Option<u16> {
    base_url.host().split_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(address: &str) -> Vec<String> {
        let base_url = BaseUrl::parse(address).unwrap();
        let servers = LocalServer::at(&base_url).into_iter();
        let lines = servers.flat_map(|server| server.lines(&base_url, "https://page.example"));
        lines.map(|(_, line)| line).collect()
    }

    #[test]
    fn a_server_is_known_by_its_port_and_its_lines_name_the_page() {
        let ollama = lines("http://localhost:11434/v1");
        assert_eq!(ollama.len(), 4);
        assert!(
            ollama
                .iter()
                .all(|line| line.contains("https://page.example"))
        );
        assert_eq!(
            lines("http://127.0.0.1:1234/v1"),
            ["lms server start --cors"]
        );
        assert_eq!(
            lines("http://127.0.0.1:8080"),
            ["llama-server -m model.gguf --jinja"]
        );
        assert_eq!(
            lines("http://127.0.0.1:8000/v1"),
            ["vllm serve MODEL --allowed-origins '[\"https://page.example\"]'"]
        );
    }

    #[test]
    fn at_another_port_all_are_offered_and_told_the_port() {
        let all = lines("http://127.0.0.1:9999/v1");
        assert_eq!(all.len(), 7);
        assert!(all[4..].iter().all(|line| line.ends_with("--port 9999")));
    }
}
