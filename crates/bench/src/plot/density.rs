//! Density plots: how the values of a counter are spread over the solved tasks of each engine.

use super::Style;
use super::svg::{Frame, Scale, Svg};
use crate::counters::Measure;
use crate::summary::Summary;

/// Points of a line.
const POINTS: usize = 160;
/// Fewer values have no density.
const FEWEST: usize = 3;

/// The density of a measure, a line per engine: a sum of normal distributions around the values, as wide as
/// Silverman's rule says ("Density Estimation for Statistics and Data Analysis", 1986).
pub fn density(summary: &Summary, measure: &Measure) -> String {
    let lines: Vec<(usize, &str, Vec<f64>)> = (summary.engines.iter().enumerate())
        .map(|(i, score)| (i, score.engine.as_str(), measure.over(&summary.rows, &score.engine)))
        .filter(|(_, _, values)| values.len() >= FEWEST)
        .collect();
    let largest = lines.iter().filter_map(|(_, _, values)| values.last()).fold(1.0, |a: f64, b| a.max(*b));
    let end = largest * 1.05;
    let at = |k: usize| end * k as f64 / (POINTS - 1) as f64;
    let curves: Vec<Vec<f64>> = (lines.iter())
        .map(|(_, _, values)| {
            let width = bandwidth(values).max(end / POINTS as f64);
            (0..POINTS).map(|k| estimate(values, width, at(k))).collect()
        })
        .collect();
    let highest = curves.iter().flatten().fold(0.0, |a: f64, b| a.max(*b));

    let names = lines.iter().map(|(_, name, _)| name.chars().count() + 7).max().unwrap_or(0);
    let frame = Frame { left: 70.0, top: 44.0, width: 560.0, height: 320.0 };
    let x = Scale::linear(0.0, end, frame.left, frame.right());
    let y = Scale::linear(0.0, if highest > 0.0 { highest * 1.05 } else { 1.0 }, frame.bottom(), frame.top);
    let mut svg = Svg::new(frame.right() + 40.0 + 7.0 * names as f64, frame.bottom() + 60.0);
    svg.title(frame.center_x(), &format!("{}: density over the solved tasks", measure.name()));
    frame.grid_x(&mut svg, &x, &x.ticks(), |value| format!("{value}"));
    frame.border(&mut svg);
    svg.text_middle(frame.center_x(), frame.bottom() + 42.0, &measure.name());
    svg.text_vertical(24.0, frame.center_y(), "density");
    for (line, ((i, name, values), curve)) in lines.iter().zip(&curves).enumerate() {
        let style = Style::of(*i);
        let points: Vec<(f64, f64)> =
            curve.iter().enumerate().map(|(k, &height)| (x.at(at(k)), y.at(height))).collect();
        svg.polyline(&points, style.color, style.dash);
        let (left, middle) = (frame.right() + 16.0, frame.top + 12.0 + 20.0 * line as f64);
        svg.polyline(&[(left, middle), (left + 26.0, middle)], style.color, style.dash);
        svg.text(left + 34.0, middle + 4.0, &format!("{name} ({})", values.len()));
    }
    svg.finish()
}

fn bandwidth(sorted: &[f64]) -> f64 {
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    let deviation = (sorted.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let quartiles = (sorted[sorted.len() * 3 / 4] - sorted[sorted.len() / 4]) / 1.34;
    let spread = if quartiles > 0.0 { deviation.min(quartiles) } else { deviation };
    0.9 * spread * n.powf(-0.2)
}

fn estimate(values: &[f64], width: f64, at: f64) -> f64 {
    let bump = |v: &f64| (-0.5 * ((at - v) / width).powi(2)).exp();
    values.iter().map(bump).sum::<f64>() / (values.len() as f64 * width * std::f64::consts::TAU.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_has_its_mass_where_the_values_are() {
        let values = [10.0, 10.0, 11.0, 12.0, 40.0];
        let width = bandwidth(&values);
        assert!(estimate(&values, width, 10.5) > 5.0 * estimate(&values, width, 25.0));
        let mass: f64 = (-400..1_000).map(|k| estimate(&values, width, f64::from(k) / 10.0) / 10.0).sum();
        assert!((mass - 1.0).abs() < 0.01, "{mass}");
    }
}
