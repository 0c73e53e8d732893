//! The scatter matrix: every two engines against each other.

use std::collections::BTreeMap;

use super::svg::{Frame, PALETTE, Scale, Svg, seconds_label};
use super::{SHORTEST, decade_below};
use crate::record::{Class, Row};
use crate::summary::Summary;

/// The side of a cell, and the space between two.
const CELL: f64 = 130.0;
const GAP: f64 = 8.0;

/// A matrix of scatter plots (Figure 4.1 of Birgmeier, "Software Verification with IC3 via Abstraction and
/// Interpolation", 2013). In the cell of row `r` and column `c` a point is a task: its CPU time with the
/// engine of the column across, with that of the row upwards. What is not solved is at the border.
pub fn matrix(summary: &Summary) -> String {
    let engines: Vec<&str> = summary.engines.iter().map(|score| score.engine.as_str()).collect();
    let timeout = summary.timeout.as_secs_f64();
    let mut tasks: BTreeMap<(&str, usize), Vec<Option<&Row>>> = BTreeMap::new();
    for (i, engine) in engines.iter().enumerate() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for row in summary.rows.iter().filter(|row| row.engine == *engine) {
            // Two rows on one file differ in their property; sorted rows pair them in the same order.
            let count = seen.entry(&row.file).or_default();
            tasks.entry((&row.file, *count)).or_insert_with(|| vec![None; engines.len()])[i] = Some(row);
            *count += 1;
        }
    }
    let solved = summary.rows.iter().filter(|row| row.class() == Class::Solved).map(|row| row.cpu);
    let low = decade_below(solved.fold(timeout / 10.0, f64::min));
    let high = timeout * 1.6;
    let n = engines.len() as f64;
    let (left, top) = (70.0, 50.0);
    let side = n * (CELL + GAP);
    let mut svg = Svg::new(left + side + 20.0, top + side + 40.0);
    svg.title(left + side / 2.0, "CPU seconds, every two engines");
    for (r, y_engine) in engines.iter().enumerate() {
        for (c, x_engine) in engines.iter().enumerate() {
            let frame = Frame {
                left: left + c as f64 * (CELL + GAP),
                top: top + r as f64 * (CELL + GAP),
                width: CELL,
                height: CELL,
            };
            let x = Scale::log(low, high, frame.left, frame.right());
            let y = Scale::log(low, high, frame.bottom(), frame.top);
            if r == c {
                frame.border(&mut svg);
                svg.text_middle(frame.center_x(), frame.center_y(), x_engine);
                continue;
            }
            svg.line((x.at(low), y.at(low)), (x.at(high), y.at(high)), "#c00", "");
            frame.border(&mut svg);
            let decades = x.ticks().into_iter().filter(|(value, labelled)| *labelled && *value <= timeout);
            for (value, _) in decades {
                if r + 1 == engines.len() {
                    svg.text_middle(x.at(value), frame.bottom() + 16.0, &seconds_label(value));
                }
                if c == 0 {
                    svg.text_end(frame.left - 6.0, y.at(value) + 4.0, &seconds_label(value));
                }
            }
            let time = |row: &Row| match row.class() {
                Class::Solved => row.cpu.clamp(SHORTEST, timeout),
                _ => high,
            };
            for ((file, _), rows) in &tasks {
                if let (Some(a), Some(b)) = (rows[c], rows[r]) {
                    let tip = format!("{file}: {x_engine} {:.2}, {y_engine} {:.2}", a.cpu, b.cpu);
                    svg.dot((x.at(time(a)), y.at(time(b))), PALETTE[0], &tip);
                }
            }
        }
    }
    svg.finish()
}
