//! The host to choose: fills in what is known of it, and says how to get there.

use super::EndpointForm;
use crate::kernel::doctor::servers::LocalServer;
use crate::kernel::presets::{Preset, preset_of, presets};
use crate::kernel::settings::BaseUrl;
use crate::protocol::Field;
use crate::ui::combobox::{Enter, Line, MOST, Parts, combobox};
use crate::ui::copy_button::copy_button;
use crate::ui::dom;
use crate::ui::element::{El, div, el, follow};
use crate::ui::field::{bare_field, bare_input};
use crate::ui::signal::RwSignal;
use crate::ui::state::search::search;

const PROVIDER: &str = "setup-provider";

impl EndpointForm {
    pub(super) fn provider(&self) -> El {
        let (ui, typed) = (self.ui, self.typed);
        let open = RwSignal::new(false);
        let input =
            bare_input(PROVIDER, "text", "").attr("aria-describedby", &format!("{PROVIDER}-hint"));
        let shown = input.clone();
        follow(Box::new(move || {
            let name = preset_of(&typed.get()).map_or(ui.words().preset_other, |of| of.name);
            // While it is open, a search stands in it.
            if !open.get() {
                shown.set_value(name);
            }
        }));
        let form = self.clone();
        let parts = Parts {
            id: "setup-providers",
            open,
            enter: Enter::First,
            lines: Box::new(move |query| lines(query, ui.words().preset_other)),
            status: Box::new(String::new),
            opened: Box::new(|| {}),
            pick: Box::new(move |line| form.fill(line.value.as_deref().unwrap_or_default())),
        };
        let all = input.clone();
        let place = combobox(input.on("focus", move |_| all.select()), parts);
        let hint = move || match preset_of(&typed.get()) {
            None => ui.words().preset_hint,
            Some(preset) if preset.key_page.is_empty() => ui.words().preset_start,
            Some(_) => ui.words().preset_web,
        };
        let start = move || match preset_of(&typed.get()) {
            Some(preset) if preset.key_page.is_empty() => start_line(preset.base_url),
            _ => String::new(),
        };
        bare_field(ui, PROVIDER, place, move |words| {
            [words.preset.into(), "".into(), hint().into()]
        })
        .when(
            move || !start().is_empty(),
            move || {
                div("form__start")
                    .child(el("code").live(start))
                    .child(copy_button(ui, start))
            },
        )
    }

    /// Fills in what is known of the host called `name`; of another one nothing is.
    fn fill(&self, name: &str) {
        let before = preset_of(&self.address.value());
        let now = presets().find(|preset| preset.name == name);
        let part = |of: fn(&Preset) -> &'static str| {
            (before.as_ref().map_or("", of), now.as_ref().map_or("", of))
        };
        let (old, new) = part(|preset| preset.base_url);
        // What was typed by hand stays with "another one".
        if now.is_some() || self.address.value() == old {
            self.put(Field::BaseUrl, new);
        }
        let (old, new) = part(|preset| preset.model);
        let model = self.model.value();
        if model.is_empty() || model == old {
            self.model.set_value(new);
        }
        self.ui.refused.set(Vec::new());
        match now {
            None => self.address.focus(),
            Some(preset) if preset.key_page.is_empty() => self.model.focus(),
            Some(_) => self.key.focus(),
        }
    }
}

/// What to run so that the server at this address lets the page in.
fn start_line(base_url: &str) -> String {
    let Ok(url) = BaseUrl::parse(base_url) else {
        return String::new();
    };
    let servers = LocalServer::at(&url).into_iter();
    let mut lines = servers.flat_map(|server| server.lines(&url, &dom::origin()));
    lines.next().map_or_else(String::new, |(_, line)| line)
}

fn lines(query: &str, other: &str) -> Vec<Line> {
    let all: Vec<Preset> = presets().collect();
    let names: Vec<&str> = all.iter().map(|preset| preset.name).collect();
    let (found, _) = search(&names, query, MOST);
    let line = |at: usize| Line {
        value: Some(all[at].name.to_owned()),
        text: all[at].name.to_owned(),
        ..Line::default()
    };
    let other = Line {
        value: Some(String::new()),
        text: other.to_owned(),
        ..Line::default()
    };
    found.into_iter().map(line).chain([other]).collect()
}
