//! The picture of a run: what an instance costs and what the crawler holds, from the first instance to the last.

use crate::follow::Course;
use anyhow::{Result, anyhow};
use plotters::prelude::{
    BLACK, ChartBuilder, Color as _, DrawingArea, IntoDrawingArea as _, LineSeries, PathElement, RGBColor, SVGBackend,
    SeriesLabelPosition, WHITE,
};
use std::path::Path;

const SIZE: (u32, u32) = (900, 620);
const BLUE: RGBColor = RGBColor(0x1f, 0x77, 0xb4);
const ORANGE: RGBColor = RGBColor(0xff, 0x7f, 0x0e);

/// A line with its name.
struct Line {
    name: &'static str,
    color: RGBColor,
    points: Vec<(f64, f64)>,
}

/// Draws it.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn draw(file: &Path, course: &Course, instances: u32, part: u32) -> Result<()> {
    let root = SVGBackend::new(file, SIZE).into_drawing_area();
    let failed = |error: &dyn std::fmt::Display| anyhow!("{error}");
    root.fill(&WHITE).map_err(|error| failed(&error))?;
    let middle = |index: usize| (index as f64 + 0.5) * f64::from(part);
    let points = |costs: Vec<f64>| costs.into_iter().enumerate().map(|(index, cost)| (middle(index), cost)).collect();
    let costs = [
        Line { name: "by commands", color: BLUE, points: points(course.parts(instances, part, |look| look.commands)) },
        Line { name: "by ends", color: ORANGE, points: points(course.parts(instances, part, |look| look.ended)) },
    ];
    let memory = course.looks.iter().map(|look| (look.at.as_secs_f64(), look.crawler_rss_mib)).collect();
    let memory = [Line { name: "crawler", color: BLUE, points: memory }];
    let (upper, lower) = root.split_vertically(SIZE.1 / 2);
    let wall = course.wall().as_secs_f64();
    chart(&upper, "CPU ms per instance, all of Rutter's processes", "instances", f64::from(instances), &costs)
        .map_err(|error| failed(&error))?;
    chart(&lower, "MiB of the crawler", "seconds", wall, &memory).map_err(|error| failed(&error))?;
    root.present().map_err(|error| failed(&error))
}

fn chart(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    along: &str,
    width: f64,
    lines: &[Line],
) -> Result<(), Box<dyn std::error::Error>> {
    let highest = lines.iter().flat_map(|line| &line.points).map(|(_, y)| *y).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..width, 0.0..highest * 1.1)?;
    chart.configure_mesh().x_desc(along).light_line_style(WHITE).draw()?;
    for line in lines {
        let color = line.color;
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), color.stroke_width(2)))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    Ok(())
}
