//! Plots as SVG text: series of points in, a picture out.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Points by the generation or step.
pub type Points = Vec<(f64, f64)>;

pub struct Series {
    pub name: String,
    pub points: Points,
}

impl Series {
    pub fn new(name: impl Into<String>, points: Points) -> Series {
        Series { name: name.into(), points }
    }
}

/// A plot of lines; with a band behind them where one is given.
pub struct Lines<'a> {
    pub title: &'a str,
    pub across: &'a str,
    pub series: Vec<Series>,
    /// Lower and upper edge.
    pub band: Option<(Points, Points)>,
    /// Whether the axis begins at 0.
    pub from_zero: bool,
}

const SIZE: (u32, u32) = (560, 320);

/// Distinguishable for most eyes, on paper too.
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

fn color(index: usize) -> RGBColor {
    COLORS[index % COLORS.len()]
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// An empty text where there is nothing to show.
pub fn lines(plot: &Lines) -> String {
    let edges = plot.band.iter().flat_map(|(low, high)| low.iter().chain(high));
    let all: Vec<(f64, f64)> = plot
        .series
        .iter()
        .flat_map(|series| &series.points)
        .chain(edges)
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    let Some((across, up)) = ranges(&all, plot.from_zero) else { return String::new() };
    draw(|area| {
        let mut chart = frame(area, plot.title)
            .y_label_area_size(52)
            .build_cartesian_2d(across.0..across.1, up.0..up.1)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc(plot.across)
            .y_labels(6)
            .x_labels(8)
            .y_label_formatter(&|y| number(*y))
            .x_label_formatter(&|x| number(*x))
            .draw()?;
        if let Some((low, high)) = &plot.band {
            let outline: Points = low.iter().chain(high.iter().rev()).copied().collect();
            chart.draw_series([Polygon::new(outline, color(0).mix(0.15).filled())])?;
        }
        for (index, series) in plot.series.iter().enumerate() {
            let style = color(index).stroke_width(2);
            let finite = series.points.iter().copied().filter(|(_, y)| y.is_finite());
            // A line of one point is no line; many points need no marks.
            let marks = if series.points.len() <= MARKED_POINTS { 2 } else { 0 };
            chart
                .draw_series(LineSeries::new(finite, style.filled()).point_size(marks))?
                .label(&series.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
        }
        if plot.series.len() > 1 {
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.3))
                .draw()?;
        }
        Ok(())
    })
}

/// Points of a line up to which each has a mark.
const MARKED_POINTS: usize = 60;

/// Pixels for the names of bars.
const NAMES: u32 = 180;

/// Letters of a name that fit there.
const LONGEST_NAME: usize = 30;

/// Bars below each other, one for each name.
pub fn bars(title: &str, values: &[(String, f64)]) -> String {
    let Some(highest) = highest(values) else { return String::new() };
    let count = values.len() as f64;
    draw(|area| {
        let mut chart = frame(area, title)
            .margin_right(20)
            .y_label_area_size(NAMES)
            // The first on top.
            .build_cartesian_2d(0.0..highest * 1.04, count..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(WHITE)
            .x_labels(6)
            .y_labels(0)
            .x_label_formatter(&|x| number(*x))
            .draw()?;
        chart.draw_series(values.iter().enumerate().map(|(at, (_, value))| {
            let top = at as f64 + 0.1;
            Rectangle::new([(0.0, top), (*value, top + 0.8)], color(0).filled())
        }))?;
        let style = label(area, HPos::Right, VPos::Center);
        for (at, (name, _)) in values.iter().enumerate() {
            let (x, y) = chart.plotting_area().map_coordinate(&(0.0, at as f64 + 0.5));
            area.draw(&Text::new(shortened(name), (x - 6, y), style.clone()))?;
        }
        Ok(())
    })
}

/// Columns side by side, with short names.
pub fn columns(title: &str, values: &[(String, f64)]) -> String {
    let Some(highest) = highest(values) else { return String::new() };
    let count = values.len() as f64;
    draw(|area| {
        let mut chart = frame(area, title)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..count, 0.0..highest * 1.08)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(0)
            .y_label_formatter(&|y| number(*y))
            .draw()?;
        chart.draw_series(values.iter().enumerate().map(|(at, (_, value))| {
            let left = at as f64 + 0.1;
            Rectangle::new([(left, 0.0), (left + 0.8, *value)], color(0).filled())
        }))?;
        let style = label(area, HPos::Center, VPos::Top);
        let every = values.len().div_ceil(MOST_COLUMN_NAMES);
        for (at, (name, _)) in values.iter().enumerate().step_by(every) {
            let (x, y) = chart.plotting_area().map_coordinate(&(at as f64 + 0.5, 0.0));
            area.draw(&Text::new(name.as_str(), (x, y + 6), style.clone()))?;
        }
        Ok(())
    })
}

/// More would touch each other.
const MOST_COLUMN_NAMES: usize = 14;

fn highest(values: &[(String, f64)]) -> Option<f64> {
    let highest = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    (highest > 0.0).then_some(highest)
}

fn label<'a>(area: &DrawingArea<SVGBackend, Shift>, across: HPos, up: VPos) -> TextStyle<'a> {
    ("sans-serif", 12).into_text_style(area).pos(Pos::new(across, up))
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}...", name[..end].trim_end()),
        None => name.to_string(),
    }
}

/// What all plots have around them.
fn frame<'a, 'b>(
    area: &'a DrawingArea<SVGBackend<'b>, Shift>,
    title: &str,
) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut frame = ChartBuilder::on(area);
    frame.caption(title, ("sans-serif", 18)).margin(10).x_label_area_size(34);
    frame
}

fn draw(paint: impl FnOnce(&DrawingArea<SVGBackend, Shift>) -> Drawn) -> String {
    let mut text = String::new();
    let outcome = {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(Into::into).and_then(|()| paint(&area)).and_then(|()| {
            area.present()?;
            Ok(())
        })
    };
    match outcome {
        Ok(()) => text,
        // A picture that cannot be drawn is left out, not the report.
        Err(error) => format!("<p>no plot: {error}</p>"),
    }
}

type Range = (f64, f64);

fn ranges(points: &[(f64, f64)], from_zero: bool) -> Option<(Range, Range)> {
    let first = points.first()?;
    let widen = |(low, high): Range| {
        let room = ((high - low) * 0.05).max(1e-9_f64.max(high.abs() * 0.01));
        (low - room, high + room)
    };
    let fold = |pick: fn(&(f64, f64)) -> f64| {
        points.iter().map(pick).fold((pick(first), pick(first)), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let (across, up) = (fold(|point| point.0), widen(fold(|point| point.1)));
    let across = if across.0 == across.1 { (across.0 - 0.5, across.1 + 0.5) } else { across };
    let up = if from_zero { (0.0, up.1.max(1e-9)) } else { up };
    Some((across, up))
}

/// Short for small and large numbers alike.
fn number(x: f64) -> String {
    match x.abs() {
        size if size >= 1e6 => format!("{:.1}M", x / 1e6),
        size if size >= 1e4 => format!("{:.0}k", x / 1e3),
        size if size >= 100.0 || x.fract() == 0.0 => format!("{x:.0}"),
        size if size >= 1.0 => format!("{x:.1}"),
        0.0 => "0".to_string(),
        _ => format!("{x:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_shows_its_title_and_series() {
        let series = vec![
            Series::new("policy", vec![(1.0, 3.0), (2.0, 2.5), (3.0, f64::NAN)]),
            Series::new("value", vec![(1.0, 1.0), (2.0, 0.8)]),
        ];
        let band = Some((vec![(1.0, 0.5), (2.0, 0.6)], vec![(1.0, 3.5), (2.0, 3.0)]));
        let plot = Lines { title: "Losses", across: "generation", series, band, from_zero: false };
        let svg = lines(&plot);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for part in ["Losses", "policy", "value", "generation", "<polyline", "<polygon"] {
            assert!(svg.contains(part), "{part}");
        }
    }

    #[test]
    fn nothing_to_show_is_no_plot() {
        let plot =
            Lines { title: "Empty", across: "x", series: vec![], band: None, from_zero: true };
        assert_eq!(lines(&plot), "");
        assert_eq!(bars("Empty", &[]), "");
        let one = Series::new("one", vec![(1.0, 2.0)]);
        let plot = Lines { series: vec![one], ..plot };
        assert!(lines(&plot).contains("<circle"));
    }

    #[test]
    fn every_bar_has_its_name() {
        let values: Vec<(String, f64)> =
            (1..=9).map(|n| (format!("name {n}"), f64::from(n))).collect();
        for svg in [bars("Names", &values), columns("Names", &values)] {
            assert!(svg.contains("Names"), "{svg}");
            assert!(values.iter().all(|(name, _)| svg.contains(name)), "{svg}");
        }
        let long = "A very long name of an opening that nobody can read";
        let svg = bars("Names", &[(long.to_string(), 1.0)]);
        assert!(svg.contains("A very long name of an opening...") && !svg.contains(long), "{svg}");
    }
}
