//! A table of comma-separated values. Only the rows in view are in the page.

use std::rc::Rc;

use crate::ui::controller::Controller;
use crate::ui::element::{El, div, el, span};
use crate::ui::signal::RwSignal;
use crate::ui::state::csv::{self, Table};
use crate::ui::state::window::{View, window};

/// A row's height in pixels; the style sheet knows the same.
const ROW: i32 = 28;
/// Longest part of a field that is drawn, in characters.
const MAX_FIELD: usize = 300;
/// Widths of columns, in characters.
const WIDTHS: (usize, usize) = (4, 40);
/// Rows by which the widths are found.
const LOOKED_AT: usize = 200;

/// A table; `cut` is how many bytes of its file are shown if there are more.
pub(super) fn table_view(ui: Controller, text: &str, cut: Option<usize>) -> El {
    let table = Rc::new(csv::read(text));
    let (count, columns) = (table.rows.len().saturating_sub(1), table.columns);
    let view = RwSignal::new(View::default());
    let widths: Vec<usize> = widths(&table).collect();
    let template: String = widths.iter().map(|width| format!(" {width}ch")).collect();
    let first = digits(count) + 3;
    let wide = first + widths.iter().sum::<usize>();
    let titles = table.rows.first().cloned().unwrap_or_default();
    let head = row(&titles, columns, 0, "columnheader");
    let of_rows = Rc::clone(&table);
    let keys = move || window(view.get(), ROW, count).map(|at| at as u64).collect();
    let body = div("table__rows")
        .attr("role", "rowgroup")
        .set_style("--count", &count.to_string())
        .each_key(keys, move |at| {
            let at = at as usize;
            let fields = of_rows.rows.get(at + 1)?;
            Some(row(fields, columns, at + 1, "cell").set_style("--at", &at.to_string()))
        });
    let grid = div("table")
        .attr("role", "table")
        .attr("tabindex", "0")
        .attr("aria-rowcount", &(count + 1).to_string())
        .attr("aria-colcount", &columns.to_string())
        .test_id("file-table")
        .set_style("--columns", &format!("{first}ch{template}"))
        .set_style("--wide", &format!("{wide}ch"))
        .child(div("table__head").attr("role", "rowgroup").child(head))
        .child(body);
    let scrolled = grid.clone();
    let grid = grid.on("scroll", move |_| {
        let node = scrolled.node();
        let (top, height) = (node.scroll_top(), node.client_height());
        view.set(View { top, height });
    });
    let told = el("p").class("table__cut").live(move || match cut {
        Some(shown) => ui.words().cut(shown),
        None => ui.words().table_cut().to_owned(),
    });
    let cut = (table.cut || cut.is_some()).then_some(told);
    div("viewer__table")
        .child(
            el("p")
                .class("viewer__facts")
                .child(span("").live(move || ui.words().table_size(count, columns))),
        )
        .children(cut)
        .child(grid)
}

fn digits(n: usize) -> usize {
    n.to_string().len()
}

/// How wide each column is.
fn widths(table: &Table) -> impl Iterator<Item = usize> {
    (0..table.columns).map(|column| {
        let rows = table.rows.iter().take(LOOKED_AT);
        let lengths = rows.filter_map(|row| Some(wide(row.get(column)?)));
        lengths.max().unwrap_or(0).clamp(WIDTHS.0, WIDTHS.1) + 3
    })
}

/// How many characters wide a text is; those of East Asia take two.
fn wide(text: &str) -> usize {
    let signs = text.chars().take(WIDTHS.1);
    signs.map(|c| if c > '\u{1100}' { 2 } else { 1 }).sum()
}

fn row(fields: &[String], columns: usize, number: usize, role: &str) -> El {
    let cells = (0..columns).map(|column| {
        let field = fields.get(column).map_or("", String::as_str);
        let shown: String = field.chars().take(MAX_FIELD).collect();
        span("table__cell")
            .attr("role", role)
            .attr("title", &shown)
            .text(&shown)
    });
    let number = match number {
        0 => String::new(),
        number => number.to_string(),
    };
    div("table__row")
        .attr("role", "row")
        .child(
            span("table__number")
                .attr("role", "rowheader")
                .text(&number),
        )
        .children(cells)
}
