//! Model files: unchanged, and with the checksum fixed up, which anyone can compute.

use std::sync::LazyLock;

use eocc_core::file::Contents;
use eocc_core::{AnyModel, AnySamples, Matrix, OneClass, Preset, Settings, Silent, Texts, Vectors};
use serde_json::Value;

/// Models of several kinds and presets.
static MODELS: LazyLock<Vec<Contents>> = LazyLock::new(|| {
    let rows: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 23) + f64::from(i % 5) / 7.0).collect();
    let vectors = Vectors::new(Matrix::new(rows, 30, 2)).ok().map(AnySamples::from);
    let words = (0..24).map(|i| "abcab".repeat(1 + i % 3)[i % 4..].to_owned()).collect();
    let texts = Texts::new(words).ok().map(AnySamples::from);
    let mut all = Vec::new();
    for samples in [vectors, texts].into_iter().flatten() {
        for params in [OneClass::new(Preset::Default), OneClass::new(Preset::Paper)] {
            all.extend(contents(&samples, params));
        }
    }
    all
});

fn contents(samples: &AnySamples, params: OneClass) -> Option<Contents> {
    let preset = params.preset;
    let params = params.check().ok()?;
    let measure = samples.measure(preset, None, &Settings::default()).ok()?;
    samples.train(&params, measure, &Silent).ok()?.to_contents().ok()
}

/// Valid files.
pub(super) fn files() -> Vec<Vec<u8>> {
    MODELS.iter().map(Contents::to_bytes).collect()
}

/// A file as anyone may have written it.
pub(super) fn file(bytes: &[u8]) -> bool {
    Contents::from_bytes(bytes).is_ok_and(|contents| used(&contents))
}

/// Valid descriptions, each preceded by the number of its model.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let seed = |(number, contents): (usize, &Contents)| {
        [&[number as u8][..], contents.meta.to_string().as_bytes()].concat()
    };
    MODELS.iter().enumerate().map(seed).collect()
}

/// A description with the tensors of a valid model, some of which are overwritten with the bytes after a zero byte.
pub(super) fn model(bytes: &[u8]) -> bool {
    let Some((number, rest)) = bytes.split_first() else { return false };
    let Some(model) = MODELS.get(usize::from(*number) % MODELS.len().max(1)) else { return false };
    let mut parts = rest.split(|byte| *byte == 0);
    let Ok(meta) = serde_json::from_slice::<Value>(parts.next().unwrap_or_default()) else { return false };
    let mut contents = model.clone();
    contents.meta = meta;
    for part in parts {
        damage(&mut contents, part);
    }
    used(&contents)
}

/// Overwrites a tensor with these bytes, repeated.
fn damage(contents: &mut Contents, bytes: &[u8]) {
    const NAMES: [&str; 8] = [
        "lists.lengths",
        "calibration",
        "points",
        "committee.oddity",
        "regions.log_closeness",
        "regions.membership",
        "samples",
        "state.0",
    ];
    let Some((which, bytes)) = bytes.split_first().filter(|(_, bytes)| !bytes.is_empty()) else { return };
    let name = NAMES[usize::from(*which) % NAMES.len()];
    let Ok((mut values, shape)) = contents.f64s(name) else { return };
    let shape = shape.to_vec();
    let mut stream = bytes.iter().copied().cycle();
    let count = values.len();
    for _ in 0..bytes.len().min(8) {
        let at = stream.next().map_or(0, usize::from) % count.max(1);
        let bits = std::array::from_fn(|_| stream.next().unwrap_or(0));
        if let Some(value) = values.get_mut(at) {
            *value = f64::from_le_bytes(bits);
        }
    }
    contents.put_f64(name, &shape, &values);
}

/// Loads the model and lets it judge its own samples: the results must be numbers.
fn used(contents: &Contents) -> bool {
    let Ok(model) = AnyModel::from_contents(contents) else { return false };
    let Ok(decisions) = model.decide_with(&model.reference(), model.params().scoring, &Silent) else {
        return false;
    };
    for decision in decisions {
        assert!((0.0..=1.0).contains(&decision.p_value), "a p-value of {}", decision.p_value);
        assert!(!decision.score.is_nan(), "a score that is no number");
    }
    true
}
