//! The views of a Markdown text. A block that is finished is drawn once; while
//! a text grows only its last block is drawn again.

use leptos::html;
use leptos::prelude::*;

use crate::ui::erase::{Each, live, row};

use super::parse::{Block, Column, Element, Node, Tick, blocks, parse};
use crate::ui::dom;
use crate::ui::icon::{Icon, IconView};
use crate::ui::preferences::use_words;

/// A text of the model.
#[component]
pub fn Markdown(
    /// The text so far.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let known = Memo::new(move |before: Option<&Vec<Block>>| {
        let before = before.map_or(&[][..], Vec::as_slice);
        text.with(|text| blocks(before, text))
    });
    let keys = live(move || {
        known.with(|blocks| blocks.iter().map(|block| block.key.to_string()).collect())
    });
    let draw_block = move |key: String| {
        let source = known.with_untracked(|blocks| {
            let block = blocks.iter().find(|block| block.key.to_string() == key);
            block.map(|block| block.source.clone())
        });
        draw(parse(&source.unwrap_or_default()))
    };
    view! {
        <div class="prose">
            <Each keys row=row(draw_block) />
        </div>
    }
}

fn draw(nodes: Vec<Node>) -> AnyView {
    nodes.into_iter().map(draw_node).collect_view().into_any()
}

fn draw_node(node: Node) -> AnyView {
    match node {
        Node::Text(text) => text.into_any(),
        Node::Code(code) => html::code().child(code).into_any(),
        Node::Break => html::br().into_any(),
        Node::Rule => html::hr().into_any(),
        Node::Task(tick) => html::input()
            .r#type("checkbox")
            .disabled(true)
            .checked(tick == Tick::Done)
            .into_any(),
        Node::CodeBlock { language, code } => view! { <CodeBlock language code /> }.into_any(),
        Node::Link { href, children } => html::a()
            .href(href)
            .target("_blank")
            .rel("noopener noreferrer")
            .child(draw(children))
            .into_any(),
        Node::Table { columns, rows } => draw_table(&columns, rows),
        Node::Element(element, children) => draw_element(element, draw(children)),
    }
}

fn draw_element(element: Element, children: AnyView) -> AnyView {
    match element {
        Element::Paragraph => html::p().child(children).into_any(),
        // The page's own headings stand above those of an answer.
        Element::Heading(1 | 2) => html::h3().child(children).into_any(),
        Element::Heading(3) => html::h4().child(children).into_any(),
        Element::Heading(_) => html::h5().child(children).into_any(),
        Element::Quote => html::blockquote().child(children).into_any(),
        Element::Bullets => html::ul().child(children).into_any(),
        Element::Numbers(first) => html::ol()
            .start(first.to_string())
            .child(children)
            .into_any(),
        Element::Item => html::li().child(children).into_any(),
        Element::Emphasis => html::em().child(children).into_any(),
        Element::Strong => html::strong().child(children).into_any(),
        Element::Strike => html::s().child(children).into_any(),
        Element::Markup => html::p().class("prose__markup").child(children).into_any(),
    }
}

fn draw_table(columns: &[Column], rows: Vec<Vec<Vec<Node>>>) -> AnyView {
    let align = |at: usize| match columns.get(at) {
        Some(Column::Center) => "prose__cell--center",
        Some(Column::End) => "prose__cell--end",
        _ => "prose__cell--start",
    };
    let mut rows = rows.into_iter();
    let head = rows.next().unwrap_or_default().into_iter().enumerate();
    let head = head
        .map(|(at, cell)| html::th().class(align(at)).child(draw(cell)))
        .collect_view();
    let body = rows
        .map(|row| {
            let cells = row.into_iter().enumerate();
            let cells = cells.map(|(at, cell)| html::td().class(align(at)).child(draw(cell)));
            html::tr().child(cells.collect_view())
        })
        .collect_view();
    view! {
        <div class="prose__table" tabindex="0" role="region">
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Code on lines of its own, with a button that copies it.
#[component]
fn CodeBlock(language: String, code: String) -> impl IntoView {
    let text = code.clone();
    view! {
        <div class="code">
            <div class="code__head">
                <span class="code__language">{language}</span>
                <CopyButton text=live(move || text.clone()) />
            </div>
            <pre class="code__text" tabindex="0">
                <code>{code}</code>
            </pre>
        </div>
    }
}

/// What pressing a copy button came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CopyState {
    Ready,
    Copied,
    Refused,
}

/// A button that copies what `text` gives.
#[component]
pub fn CopyButton(text: Signal<String>) -> impl IntoView {
    let t = use_words();
    let state = RwSignal::new(CopyState::Ready);
    let press = move |_| {
        let text = text.get_untracked();
        leptos::task::spawn_local(async move {
            let came = if dom::copy(text).await {
                CopyState::Copied
            } else {
                CopyState::Refused
            };
            state.try_set(came);
            let back = move || {
                state.try_set(CopyState::Ready);
            };
            set_timeout(back, std::time::Duration::from_secs(2));
        });
    };
    let label = move || match state.get() {
        CopyState::Ready => t().copy,
        CopyState::Copied => t().copied,
        CopyState::Refused => t().copy_failed,
    };
    let icon = Signal::derive(move || match state.get() {
        CopyState::Ready => Icon::Copy,
        CopyState::Copied => Icon::Check,
        CopyState::Refused => Icon::Warning,
    });
    view! {
        <button type="button" class="button button--quiet button--small" on:click=press>
            <IconView icon />
            <span>{label}</span>
        </button>
    }
}
