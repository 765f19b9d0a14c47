//! The map: samples in two dimensions, and the edges of the graph among them.

use eocc_core::sample::ColumnKind;
use eocc_core::{AnyModel, AnySamples, Layout, Matrix, Observer, Result};
use serde::Serialize;

use super::landmarks::Scaling;
use super::packed::{Indices, Numbers};
use super::sampling::Drawn;
use super::{MAX_NAME, words};

/// Number of landmarks if comparisons are cheap, and if they are not.
const LANDMARKS: usize = 100;
const FEW_LANDMARKS: usize = 48;
/// With more edges than this, each sample shows only its nearest ones.
const MAX_EDGES: usize = 60_000;

/// The positions of the drawn samples; without coordinates and edges if there is no map.
#[derive(Debug, Clone, Serialize)]
pub struct Map {
    /// The names of the two coordinates.
    pub axes: [String; 2],
    /// The index of each drawn sample among all; training samples come first.
    pub sample: Indices,
    /// How many of them are training samples.
    pub training: usize,
    /// Horizontal coordinates.
    pub x: Numbers,
    /// Vertical coordinates.
    pub y: Numbers,
    /// Edges of the graph: pairs of drawn samples, concatenated.
    pub edges: Indices,
    /// How many samples lie outside and are drawn at the margin.
    pub outside: usize,
}

impl Map {
    pub(super) fn new(
        model: &AnyModel,
        new: Option<&AnySamples>,
        drawn: &Drawn,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let (training, others) = drawn.samples.split_at(drawn.training);
        let count = model.summary().samples;
        let others: Vec<usize> = others.iter().map(|i| i - count).collect();
        let others = new.map(|new| new.select(&others));
        if !has_map(model) {
            let sample = Indices(drawn.samples.iter().map(|&i| i as u32).collect());
            let none = || Numbers(Vec::new());
            let (axes, edges) = ([String::new(), String::new()], Indices(Vec::new()));
            return Ok(Self {
                axes,
                sample,
                training: drawn.training,
                x: none(),
                y: none(),
                edges,
                outside: 0,
            });
        }
        let (axes, mut places) = match features(model, training, others.as_ref()) {
            Some(found) => found,
            None => scaled(model, training, others.as_ref(), observer)?,
        };
        let outside = bring_in(&mut places, drawn.training);
        Ok(Self {
            axes,
            sample: Indices(drawn.samples.iter().map(|&i| i as u32).collect()),
            training: drawn.training,
            x: Numbers(places.iter().map(|p| p[0]).collect()),
            y: Numbers(places.iter().map(|p| p[1]).collect()),
            edges: edges(model, training),
            outside,
        })
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.x.0.is_empty()
    }

    /// A note about samples that lie outside, or about the lack of a map.
    pub(super) fn note(&self) -> Option<String> {
        if self.is_empty() {
            return Some(NO_MAP.to_owned());
        }
        let verb = if self.outside == 1 { "sample lies" } else { "samples lie" };
        (self.outside > 0).then(|| {
            format!(
                "{} {verb} far outside of the map and {} drawn at its margin.",
                self.outside,
                if self.outside == 1 { "is" } else { "are" }
            )
        })
    }
}

/// Why a model may have no map.
const NO_MAP: &str = "The map is left out: the model was fitted on a matrix of dissimilarities, and its file does not keep \
                      those between training samples.";

/// Whether training samples have places: an embedding, or dissimilarities to each other.
fn has_map(model: &AnyModel) -> bool {
    model.embedding().is_some() || compares_training(model)
}

/// Whether the training samples of a model can be compared with each other. The file of a model of a matrix does not
/// keep what that needs.
pub fn compares_training(model: &AnyModel) -> bool {
    if !matches!(model.layout(), Layout::Dissimilarities(_)) {
        return true;
    }
    let reference = model.reference();
    reference.count() == 0 || reference.conform(&reference.select(&[0])).is_ok()
}

/// Two features are drawn as they are.
fn features(
    model: &AnyModel,
    training: &[usize],
    others: Option<&AnySamples>,
) -> Option<([String; 2], Vec<[f64; 2]>)> {
    let reference = model.reference();
    if model.summary().features != 2 || reference.count() != model.summary().samples {
        return None;
    }
    let reference = reference.select(training);
    let number = |samples: &AnySamples, f: usize| -> Option<Vec<f64>> {
        let (kind, values) = samples.feature(f)?;
        matches!(kind, ColumnKind::Number).then(|| values.into_iter().collect())?
    };
    let mut places = Vec::new();
    for samples in [Some(&reference), others].into_iter().flatten() {
        let (x, y) = (number(samples, 0)?, number(samples, 1)?);
        places.extend(x.into_iter().zip(y).map(|(x, y)| [x, y]));
    }
    let names = model.share_names();
    let axis = |at: usize| Some(words::cut(names.get(at)?, MAX_NAME));
    Some(([axis(0)?, axis(1)?], places))
}

/// Positions from dissimilarities to landmarks: in the model's embedding if it has one, else in its first view.
fn scaled(
    model: &AnyModel,
    training: &[usize],
    others: Option<&AnySamples>,
    observer: &dyn Observer,
) -> Result<([String; 2], Vec<[f64; 2]>)> {
    let is_trimmed = |i: &usize| model.trimmed().binary_search(&(*i as u32)).is_ok();
    let kept: Vec<usize> = (0..model.summary().samples).filter(|i| !is_trimmed(i)).collect();
    let is_cheap = model.embedding().is_some() || model.measure().is_cheap_per_row();
    let m = kept.len().min(if is_cheap { LANDMARKS } else { FEW_LANDMARKS });
    let landmarks: Vec<usize> = (0..m).map(|j| kept[j * kept.len() / m]).collect();
    let mut to = Vec::new();
    let among;
    if let Some(points) = model.embedding() {
        let of = |rows: &Matrix, which: &[usize]| -> Vec<Vec<f64>> {
            let row = |i: &usize| landmarks.iter().map(|&l| euclidean(rows.row(*i), points.row(l))).collect();
            which.iter().map(row).collect()
        };
        among = of(points, &landmarks).concat();
        to.extend(of(points, training));
        if let Some(others) = others.filter(|others| others.count() > 0) {
            let rows = model.embed_all(others, observer)?;
            to.extend(of(&rows, &(0..rows.rows()).collect::<Vec<_>>()));
        }
    } else {
        let (reference, measure) = (model.reference(), model.measure());
        let marks = reference.select(&landmarks);
        let rows = |samples: &AnySamples| -> Result<Vec<Vec<f64>>> {
            let matrix = measure.between_sets(samples, &marks, observer)?;
            Ok((0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect())
        };
        among = rows(&marks)?.concat();
        to.extend(rows(&reference.select(training))?);
        if let Some(others) = others.filter(|others| others.count() > 0) {
            to.extend(rows(&reference.conform(others)?)?);
        }
    }
    let scaling = Scaling::new(&among, m);
    let axes = ["first coordinate".to_owned(), "second coordinate".to_owned()];
    Ok((axes, to.iter().map(|to| scaling.project(to)).collect()))
}

fn euclidean(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// Moves samples far outside the bulk of the training samples to the margin; returns how many were moved.
fn bring_in(places: &mut [[f64; 2]], training: usize) -> usize {
    let mut moved = vec![false; places.len()];
    for axis in 0..2 {
        let mut own: Vec<f64> =
            places[..training].iter().map(|p| p[axis]).filter(|x| x.is_finite()).collect();
        own.sort_by(f64::total_cmp);
        let Some(last) = own.len().checked_sub(1) else { continue };
        let (low, high) = (own[last / 50], own[last - last / 50]);
        let room = 1.2 * (high - low);
        // If nearly all are alike, there is no bulk.
        if room <= 0.0 {
            continue;
        }
        for (place, moved) in places.iter_mut().zip(&mut moved) {
            let inside = place[axis].clamp(low - room, high + room);
            let inside = if inside.is_nan() { low - room } else { inside };
            *moved |= inside.total_cmp(&place[axis]).is_ne();
            place[axis] = inside;
        }
    }
    moved.into_iter().filter(|moved| *moved).count()
}

/// The edges among drawn training samples, each once; if there are many, only those to the nearest.
fn edges(model: &AnyModel, training: &[usize]) -> Indices {
    let lists = model.lists();
    let width = lists.width().min((MAX_EDGES / training.len().max(1)).max(1));
    let mut place = vec![u32::MAX; model.summary().samples];
    for (at, &i) in training.iter().enumerate() {
        place[i] = at as u32;
    }
    let mut edges = Vec::new();
    for &i in training.iter().filter(|&&i| model.trimmed().binary_search(&(i as u32)).is_err()) {
        for &j in lists.neighbors(i, width) {
            let j = j as usize;
            let is_mutual = j < i && lists.neighbors(j, width).contains(&(i as u32));
            if place[j] != u32::MAX && !is_mutual {
                edges.extend([place[i], place[j]]);
            }
        }
    }
    Indices(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_samples_come_to_the_margin() {
        let mut places: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i), 0.0]).collect();
        places.push([1e9, 0.0]);
        places.push([f64::NAN, 5.0]);
        assert_eq!(bring_in(&mut places, 100), 2);
        assert!(places[100][0] < 300.0 && places[101][0] > -300.0);
        assert!((places[50][0] - 50.0).abs() < 1e-12 && (places[101][1] - 5.0).abs() < 1e-12);
    }
}
