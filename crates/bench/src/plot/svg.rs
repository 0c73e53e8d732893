//! The little SVG the plots need: elements, scales with their ticks, and the frame of axes.

use std::fmt::Write;

/// Colours that people with any colour vision can tell apart (Okabe and Ito's set, without the yellow that is
/// faint on white).
pub const PALETTE: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f3c8d"];

/// The shape of a point.
#[derive(Clone, Copy, Debug)]
pub enum Marker {
    /// A circle.
    Circle,
    /// Two strokes.
    Cross,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
}

/// A picture in the making.
pub struct Svg {
    text: String,
}

type Point = (f64, f64);

impl Svg {
    /// An empty picture on white.
    pub fn new(width: f64, height: f64) -> Svg {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<rect width=\"100%\" \
             height=\"100%\" fill=\"#fff\"/>"
        );
        Svg { text }
    }

    /// The picture's text.
    pub fn finish(mut self) -> String {
        self.text += "</svg>\n";
        self.text
    }

    /// A straight line.
    pub fn line(&mut self, (x1, y1): Point, (x2, y2): Point, color: &str, dash: &str) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\" \
             stroke-dasharray=\"{}\"/>",
            if dash.is_empty() { "none" } else { dash }
        );
    }

    /// The line of a limit.
    pub fn limit_line(&mut self, from: Point, to: Point) {
        self.line(from, to, "#c00", "6 4");
    }

    /// A line through points.
    pub fn polyline(&mut self, points: &[Point], color: &str, dash: &str) {
        let mut list = String::new();
        for (x, y) in points {
            let _ = write!(list, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(
            self.text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\" \
             stroke-linejoin=\"round\" stroke-dasharray=\"{}\"/>",
            list.trim_end(),
            if dash.is_empty() { "none" } else { dash }
        );
    }

    /// A point with a tooltip.
    pub fn marker(&mut self, marker: Marker, (x, y): Point, color: &str, tip: &str) {
        let shape = match marker {
            Marker::Circle => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\""),
            Marker::Cross => {
                format!("<path d=\"M{:.1} {:.1}l6 6m0 -6l-6 6\"", x - 3.0, y - 3.0)
            }
            Marker::Square => {
                format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\"", x - 3.0, y - 3.0)
            }
            Marker::Triangle => format!("<path d=\"M{:.1} {:.1}l3.8 6.6h-7.6z\"", x, y - 4.2),
        };
        let _ = writeln!(
            self.text,
            "{shape} fill=\"{color}\" fill-opacity=\"0.25\" stroke=\"{color}\" \
             stroke-width=\"1.3\"><title>{}</title></{}>",
            escape(tip),
            match marker {
                Marker::Circle => "circle",
                Marker::Square => "rect",
                Marker::Cross | Marker::Triangle => "path",
            }
        );
    }

    /// A small point with a tooltip.
    pub fn dot(&mut self, (x, y): Point, color: &str, tip: &str) {
        let _ = writeln!(
            self.text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.8\" fill=\"{color}\" \
             fill-opacity=\"0.6\"><title>{}</title></circle>",
            escape(tip)
        );
    }

    /// Text that begins at a point.
    pub fn text(&mut self, x: f64, y: f64, text: &str) {
        self.element(x, y, "", text);
    }

    /// Small text that begins at a point, in the colour of limits.
    pub fn small_text(&mut self, x: f64, y: f64, text: &str) {
        self.element(x, y, " font-size=\"10\" fill=\"#c00\"", text);
    }

    /// Text around a point.
    pub fn text_middle(&mut self, x: f64, y: f64, text: &str) {
        self.element(x, y, " text-anchor=\"middle\"", text);
    }

    /// Text that ends at a point.
    pub fn text_end(&mut self, x: f64, y: f64, text: &str) {
        self.element(x, y, " text-anchor=\"end\"", text);
    }

    /// Text that runs upwards around a point.
    pub fn text_vertical(&mut self, x: f64, y: f64, text: &str) {
        self.element(x, y, &format!(" text-anchor=\"middle\" transform=\"rotate(-90 {x:.1} {y:.1})\""), text);
    }

    /// The picture's title.
    pub fn title(&mut self, x: f64, text: &str) {
        self.element(x, 24.0, " text-anchor=\"middle\" font-size=\"15\" font-weight=\"bold\"", text);
    }

    fn element(&mut self, x: f64, y: f64, attributes: &str, text: &str) {
        let _ = writeln!(self.text, "<text x=\"{x:.1}\" y=\"{y:.1}\"{attributes}>{}</text>", escape(text));
    }
}

/// Text as XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Seconds without needless digits.
pub fn seconds_label(value: f64) -> String {
    if value >= 1.0 {
        format!("{}", (value * 10.0).round() / 10.0)
    } else {
        format!("{}", (value * 1e6).round() / 1e6)
    }
}

/// Values to positions.
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    /// Equal steps are equal distances.
    pub fn linear(low: f64, high: f64, from: f64, to: f64) -> Scale {
        Scale { low, high, from, to, logarithmic: false }
    }

    /// Equal factors are equal distances.
    pub fn log(low: f64, high: f64, from: f64, to: f64) -> Scale {
        Scale { low, high, from, to, logarithmic: true }
    }

    /// Where a value is; beyond the ends is at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let part = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part * (self.to - self.from)
    }

    /// Values for grid lines, and whether they get a label.
    pub fn ticks(&self) -> Vec<(f64, bool)> {
        if self.logarithmic {
            let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
            let all = (first..=last)
                .flat_map(|exponent| (1..10).map(move |m| (f64::from(m) * 10_f64.powi(exponent), m == 1)));
            return all.filter(|(value, _)| (self.low * 0.999..=self.high * 1.001).contains(value)).collect();
        }
        // Steps of 1, 2 or 5 times a power of ten, about eight of them.
        let rough = ((self.high - self.low) / 8.0).max(1.0);
        let power = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough).unwrap_or(rough);
        let count = ((self.high - self.low) / step).floor() as usize;
        (0..=count).map(|i| (self.low + i as f64 * step, true)).collect()
    }
}

/// The rectangle of a plot.
pub struct Frame {
    /// Its left end.
    pub left: f64,
    /// Its upper end.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Frame {
    /// Its right end.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Its lower end.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Its middle, across.
    pub fn center_x(&self) -> f64 {
        self.left + self.width / 2.0
    }

    /// Its middle, down.
    pub fn center_y(&self) -> f64 {
        self.top + self.height / 2.0
    }

    /// Lines and labels of the horizontal axis.
    pub fn grid_x(&self, svg: &mut Svg, scale: &Scale, ticks: &[(f64, bool)], label: impl Fn(f64) -> String) {
        for &(value, labelled) in ticks {
            let x = scale.at(value);
            svg.line((x, self.top), (x, self.bottom()), grid_color(labelled), "");
            if labelled {
                svg.line((x, self.bottom()), (x, self.bottom() + 5.0), "#333", "");
                svg.text_middle(x, self.bottom() + 19.0, &label(value));
            }
        }
    }

    /// Lines and labels of the vertical axis.
    pub fn grid_y(&self, svg: &mut Svg, scale: &Scale, ticks: &[(f64, bool)], label: impl Fn(f64) -> String) {
        for &(value, labelled) in ticks {
            let y = scale.at(value);
            svg.line((self.left, y), (self.right(), y), grid_color(labelled), "");
            if labelled {
                svg.line((self.left - 5.0, y), (self.left, y), "#333", "");
                svg.text_end(self.left - 8.0, y + 4.0, &label(value));
            }
        }
    }

    /// The rectangle itself.
    pub fn border(&self, svg: &mut Svg) {
        let corners = [
            (self.left, self.top),
            (self.right(), self.top),
            (self.right(), self.bottom()),
            (self.left, self.bottom()),
        ];
        for (i, corner) in corners.iter().enumerate() {
            svg.line(*corner, corners[(i + 1) % 4], "#333", "");
        }
    }
}

fn grid_color(labelled: bool) -> &'static str {
    if labelled { "#d8d8d8" } else { "#f0f0f0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_map_their_ends_and_ticks_are_round() {
        let log = Scale::log(0.01, 100.0, 400.0, 0.0);
        assert_eq!((log.at(0.01), log.at(100.0)), (400.0, 0.0));
        assert!((log.at(1.0) - 200.0).abs() < 1e-9 && (log.at(1e9)).abs() < 1e-9);
        let labelled: Vec<String> =
            log.ticks().iter().filter(|(_, l)| *l).map(|(v, _)| seconds_label(*v)).collect();
        assert_eq!(labelled, ["0.01", "0.1", "1", "10", "100"]);
        let ticks: Vec<f64> = Scale::linear(0.0, 110.0, 0.0, 1.0).ticks().iter().map(|(v, _)| *v).collect();
        assert_eq!(ticks, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(Scale::linear(0.0, 3.0, 0.0, 1.0).ticks().len(), 4);
    }
}
