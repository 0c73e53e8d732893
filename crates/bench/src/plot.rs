//! Plots as SVG, drawn by hand: no fonts, no images, no scripts; any browser shows them. Points carry their
//! task as a tooltip.
//!
//! [`cactus`] has a line per engine: its solved tasks sorted by CPU time, so that the line's height over `n`
//! is the limit with which the engine would have solved `n` tasks. [`scatter`] has a point per task: the CPU
//! time of one engine against that of another, with what is not solved on strips beyond the limit; [`matrix`]
//! is that for every two engines. Time axes are logarithmic. [`density`] shows how a counter is spread.

mod density;
mod matrix;
mod svg;

use std::collections::BTreeMap;

use crate::record::{Answer, Class, Row};
use crate::summary::Summary;
pub use density::density;
pub use matrix::matrix;
use svg::{Frame, Marker, PALETTE, Scale, Svg, seconds_label};

/// Times below are drawn here: they are dominated by starting a process.
const SHORTEST: f64 = 0.001;

/// The cactus plot of all engines.
pub fn cactus(summary: &Summary) -> String {
    let timeout = summary.timeout.as_secs_f64();
    let mut series: Vec<(&str, Vec<&Row>)> = summary
        .engines
        .iter()
        .map(|score| {
            let mut rows: Vec<&Row> = solved(summary, &score.engine).collect();
            rows.sort_by(|a, b| a.cpu.total_cmp(&b.cpu).then_with(|| a.file.cmp(&b.file)));
            (score.engine.as_str(), rows)
        })
        .collect();
    let tasks = summary.engines.iter().map(|score| score.tasks).max().unwrap_or(0);
    let most = series.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    let fastest =
        series.iter().flat_map(|(_, rows)| rows.first()).map(|row| row.cpu).fold(timeout / 10.0, f64::min);

    let legend =
        40.0 + 7.0 * series.iter().map(|(name, _)| name.chars().count() + 7).max().unwrap_or(0) as f64;
    let frame = Frame { left: 70.0, top: 44.0, width: 560.0, height: 400.0 };
    let x = Scale::linear(0.0, (most.max(1) as f64 * 1.04).ceil(), frame.left, frame.right());
    let y = Scale::log(decade_below(fastest), timeout * 1.5, frame.bottom(), frame.top);
    let mut svg = Svg::new(frame.right() + legend, frame.bottom() + 60.0);
    svg.title(frame.center_x(), "CPU time by number of tasks solved");
    frame.grid_x(&mut svg, &x, &x.ticks(), |value| format!("{value}"));
    frame.grid_y(&mut svg, &y, &y.ticks(), seconds_label);
    frame.border(&mut svg);
    svg.text_middle(frame.center_x(), frame.bottom() + 42.0, &format!("tasks solved (of {tasks})"));
    svg.text_vertical(20.0, frame.center_y(), "CPU seconds");
    svg.limit_line((frame.left, y.at(timeout)), (frame.right(), y.at(timeout)));
    svg.small_text(frame.left + 6.0, y.at(timeout) - 5.0, &format!("limit {} s", seconds_label(timeout)));

    // Colours and markers follow the order given; the legend is sorted like the right ends of the lines.
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(series[i].1.len()));
    for (i, (name, rows)) in series.iter_mut().enumerate() {
        let style = Style::of(i);
        let points: Vec<(f64, f64)> = rows
            .iter()
            .enumerate()
            .map(|(n, row)| (x.at((n + 1) as f64), y.at(row.cpu.max(SHORTEST))))
            .collect();
        svg.polyline(&points, style.color, style.dash);
        let step = points.len().div_ceil(25).max(1);
        for (n, (point, row)) in points.iter().zip(rows.iter()).enumerate() {
            if n % step == step - 1 || n + 1 == points.len() {
                let tip = format!("{name}: {} tasks within {:.3} s ({})", n + 1, row.cpu, row.file);
                svg.marker(style.marker, *point, style.color, &tip);
            }
        }
        let line = order.iter().position(|&j| j == i).unwrap_or(i) as f64;
        let (left, middle) = (frame.right() + 16.0, frame.top + 12.0 + 20.0 * line);
        svg.polyline(&[(left, middle), (left + 26.0, middle)], style.color, style.dash);
        svg.marker(style.marker, (left + 13.0, middle), style.color, name);
        svg.text(left + 34.0, middle + 4.0, &format!("{name} ({})", rows.len()));
    }
    svg.finish()
}

/// The scatter plot of two engines over the tasks both ran on.
pub fn scatter(summary: &Summary, x_engine: &str, y_engine: &str) -> String {
    let timeout = summary.timeout.as_secs_f64();
    // Two rows on one file differ in their property; sorted rows pair them in the same order on both sides.
    let mut pairs: BTreeMap<&str, [Vec<&Row>; 2]> = BTreeMap::new();
    for row in &summary.rows {
        for (side, engine) in [x_engine, y_engine].into_iter().enumerate() {
            if row.engine == engine {
                pairs.entry(&row.file).or_default()[side].push(row);
            }
        }
    }
    let pairs: Vec<(&Row, &Row)> =
        pairs.values().flat_map(|[xs, ys]| xs.iter().copied().zip(ys.iter().copied())).collect();
    let fastest = pairs
        .iter()
        .flat_map(|(a, b)| [*a, *b])
        .filter(|row| row.class() == Class::Solved)
        .map(|row| row.cpu);
    let low = decade_below(fastest.fold(timeout / 10.0, f64::min));
    let high = timeout * (timeout / low).powf(0.13);
    // What is not solved goes to the middle of the strip between the limit and the border.
    let strip = (timeout * high).sqrt();

    let frame = Frame { left: 74.0, top: 74.0, width: 440.0, height: 440.0 };
    let x = Scale::log(low, high, frame.left, frame.right());
    let y = Scale::log(low, high, frame.bottom(), frame.top);
    let mut svg = Svg::new(frame.right() + 30.0, frame.bottom() + 62.0);
    svg.title(frame.center_x(), &format!("{x_engine} and {y_engine}, CPU seconds"));
    let ticks: Vec<(f64, bool)> = x.ticks().into_iter().filter(|(value, _)| *value <= timeout).collect();
    frame.grid_x(&mut svg, &x, &ticks, seconds_label);
    frame.grid_y(&mut svg, &y, &ticks, seconds_label);
    for (factor, dash) in [(1.0, ""), (10.0, "2 4"), (0.1, "2 4")] {
        let (from, to) = (low.max(low / factor), timeout.min(timeout / factor));
        svg.line((x.at(from), y.at(from * factor)), (x.at(to), y.at(to * factor)), "#999", dash);
    }
    svg.limit_line((x.at(timeout), frame.top), (x.at(timeout), frame.bottom()));
    svg.limit_line((frame.left, y.at(timeout)), (frame.right(), y.at(timeout)));
    frame.border(&mut svg);
    svg.text_middle(frame.center_x(), frame.bottom() + 42.0, x_engine);
    svg.text_vertical(20.0, frame.center_y(), y_engine);
    svg.small_text(
        frame.left + 6.0,
        y.at(timeout) - 5.0,
        &format!("not solved within {} s", seconds_label(timeout)),
    );

    let position =
        |row: &Row| if row.class() == Class::Solved { row.cpu.clamp(SHORTEST, timeout) } else { strip };
    let mut counts = [0_usize; 3];
    for (a, b) in &pairs {
        let kind = kind(a, b);
        counts[kind] += 1;
        let outcome = |row: &Row| match row.class() {
            Class::Solved => format!("{:.3} s", row.cpu),
            class => format!("{class:?}"),
        };
        let tip = format!("{}: {x_engine} {}, {y_engine} {}", a.file, outcome(a), outcome(b));
        let (marker, color, _) = KINDS[kind];
        svg.marker(marker, (x.at(position(a)), y.at(position(b))), color, &tip);
    }
    let mut left = frame.left;
    for ((marker, color, name), count) in KINDS.iter().zip(counts) {
        let label = format!("{name} ({count})");
        svg.marker(*marker, (left + 6.0, frame.top - 18.0), color, name);
        svg.text(left + 16.0, frame.top - 14.0, &label);
        left += 40.0 + 7.0 * label.chars().count() as f64;
    }
    svg.finish()
}

const KINDS: [(Marker, &str, &str); 3] = [
    (Marker::Circle, PALETTE[0], "true"),
    (Marker::Cross, PALETTE[1], "false"),
    (Marker::Square, "#999999", "solved by neither"),
];

/// What a point of a scatter plot is: the index into [`KINDS`].
fn kind(a: &Row, b: &Row) -> usize {
    match [a, b].into_iter().find(|row| row.class() == Class::Solved) {
        Some(row) if row.verdict == Answer::True => 0,
        Some(_) => 1,
        None => 2,
    }
}

fn solved<'a>(summary: &'a Summary, engine: &'a str) -> impl Iterator<Item = &'a Row> {
    summary.rows.iter().filter(move |row| row.engine == engine && row.class() == Class::Solved)
}

fn decade_below(value: f64) -> f64 {
    10_f64.powf(value.max(SHORTEST).log10().floor())
}

/// How a line of the cactus plot looks: no two of the first 24 look alike, also in grey.
struct Style {
    color: &'static str,
    marker: Marker,
    dash: &'static str,
}

impl Style {
    fn of(i: usize) -> Style {
        let markers = [Marker::Circle, Marker::Cross, Marker::Square, Marker::Triangle];
        let dashes = ["", "7 3", "2 3"];
        Style {
            color: PALETTE[i % PALETTE.len()],
            marker: markers[i % markers.len()],
            dash: dashes[i / PALETTE.len() % dashes.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Measure;
    use crate::record::tests::row;
    use std::time::Duration;

    fn summary() -> Summary {
        let mut rows = vec![
            row("a<b>.c", "x", 0.02),
            row("b.c", "x", 3.0),
            row("a<b>.c", "y", 0.5),
            row("b.c", "y", 60.0),
        ];
        rows[3].verdict = Answer::Unknown;
        rows[3].reason = "timeout".into();
        Summary::new(&["x".into(), "y".into()], rows, Duration::from_secs(60))
    }

    /// Every element that is opened is closed, and text is escaped.
    fn well_formed(text: &str) {
        let mut open = Vec::new();
        for tag in text.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn a_cactus_has_a_line_per_engine_and_its_count() {
        let text = cactus(&summary());
        well_formed(&text);
        assert!(text.contains(">x (2)<") && text.contains(">y (1)<") && text.contains("limit 60 s"));
        assert_eq!(text.matches("a&lt;b&gt;.c").count(), 2);
    }

    #[test]
    fn a_scatter_has_a_point_per_task() {
        let text = scatter(&summary(), "x", "y");
        well_formed(&text);
        assert!(text.contains("a&lt;b&gt;.c: x 0.020 s, y 0.500 s"), "{text}");
        assert!(text.contains("b.c: x 3.000 s, y Timeout") && text.contains(">true (2)<"));
    }

    #[test]
    fn a_matrix_has_a_cell_for_every_two_engines() {
        let text = matrix(&summary());
        well_formed(&text);
        // Two tasks in two cells; the two cells of the diagonal have names.
        assert_eq!(text.matches("<circle").count(), 4);
        assert!(text.contains(">x<") && text.contains(">y<") && text.contains("b.c: x 3.00, y 60.00"));
    }

    #[test]
    fn a_density_has_a_line_per_engine_with_values() {
        let mut summary = summary();
        summary.rows = (0..4).map(|k| row(&format!("{k}.c"), "x", 1.0)).collect();
        for (k, row) in summary.rows.iter_mut().enumerate() {
            row.counters = format!("frontier={}", 2 * k);
        }
        let text = density(&summary, &Measure::parse("frontier").unwrap());
        well_formed(&text);
        assert!(text.contains(">x (4)<") && !text.contains(">y ("), "{text}");
    }

    #[test]
    fn nothing_solved_still_draws() {
        let empty = Summary::new(&["x".into()], Vec::new(), Duration::from_millis(500));
        well_formed(&cactus(&empty));
        well_formed(&scatter(&empty, "x", "x"));
        well_formed(&matrix(&empty));
        well_formed(&density(&empty, &Measure::parse("n").unwrap()));
    }
}
