//! Model files that are truncated, flipped or malicious: a clear error for each, or a model that scores without a
//! panic.

use crate::support::{PRESETS, fit, normals, taken, vectors};
use eocc_core::file::Contents;
use eocc_core::random::Random;
use eocc_core::{
    Matrix, Model, OneClass, Precomputed, Preset, Prototypes, Representation, Result, SampleKind, Scoring,
    SearchKind, Settings, Silent, Vectors,
};
use serde_json::{Value, json};

/// Small models of both presets, with and without prototypes.
fn models() -> Vec<Contents> {
    let mut all = Vec::new();
    for preset in PRESETS {
        let all_of_them = [
            Representation::Embedding,
            Representation::Prototypes(Prototypes::Random(5)),
            Representation::Direct,
        ];
        for representation in taken(preset, &all_of_them) {
            let params = OneClass::new(preset).search(SearchKind::None).representation(representation);
            let mut rows = normals(24, 3, 2);
            rows.iter_mut().take(9).for_each(|r| r[0] += 30.0);
            all.push(fit(params, &rows).to_contents().expect("contents"));
        }
    }
    let trimmed = fit(OneClass::default().contamination(0.1), &normals(24, 3, 2));
    all.push(trimmed.to_contents().expect("contents"));
    all
}

/// Reads the contents like a file with a valid checksum, and uses the model in every way.
fn use_it(contents: &Contents) -> Result<()> {
    let model: Model<Vectors> = Model::from_contents(&Contents::from_bytes(&contents.to_bytes())?)?;
    let rows = vectors(&[vec![0.0; 3], vec![30.0, 0.1, 0.2], vec![1e9; 3]]);
    for scoring in [Scoring::Exact, Scoring::Fast] {
        // Implausible numbers may be refused here; what counts is that it does not panic.
        let _ = model.decide_with(&rows, scoring, &Silent);
    }
    let _ = model.training_memberships();
    let _ = model.to_contents()?.to_bytes();
    Ok(())
}

/// An error of the model file, if any.
fn is_clear(result: Result<()>, what: &str) -> bool {
    match result {
        Ok(()) => false,
        Err(e) => {
            assert!(e.is_model_file(), "{what}: {e}");
            true
        }
    }
}

#[test]
fn a_thousand_truncations_and_a_thousand_flipped_bits() {
    let models = models();
    let mut random = Random::new(1);
    for i in 0..1000 {
        let bytes = models[i % models.len()].to_bytes();
        let length = random.below(bytes.len());
        assert!(is_clear(Contents::from_bytes(&bytes[..length]).map(drop), "truncation"), "cut to {length}");
        let mut flipped = bytes;
        let bit = random.below(8 * flipped.len());
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(is_clear(Contents::from_bytes(&flipped).map(drop), "flip"), "bit {bit}");
    }
}

#[test]
fn truncated_and_garbled_files_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let bytes = models()[0].to_bytes();
    for (what, content) in [
        ("empty", Vec::new()),
        ("short", vec![7; 3]),
        ("half", bytes[..bytes.len() / 2].to_vec()),
        ("longer", [bytes.clone(), vec![0; 8]].concat()),
        ("twice", [bytes.clone(), bytes.clone()].concat()),
        ("text", b"sepal length,sepal width\n5.1,3.5\n".to_vec()),
    ] {
        std::fs::write(&path, content).unwrap();
        let e = Model::<Vectors>::load(&path).err().expect("an error");
        assert!(e.is_model_file(), "{what}: {e}");
    }
    assert!(Model::<Vectors>::load(&folder.path().join("nothing")).err().expect("an error").is_io());
}

/// All tensors of a model file, by type.
const NUMBERS: [&str; 18] = [
    "samples",
    "points",
    "lists.lengths",
    "calibration",
    "regions.log_closeness",
    "committee.oddity",
    "regions.membership",
    "committee.0.weights",
    "committee.1.weights",
    "committee.2.weights",
    "committee.0.references",
    "committee.1.references",
    "committee.2.references",
    "panel.0.references",
    "panel.0.top",
    "state.0",
    "state.1",
    "state.2",
];
const INDICES: [&str; 4] = ["lists.neighbors", "regions.of", "committee.trimmed", "committee.changes"];

/// A copy, without one tensor.
fn without(contents: &Contents, name: &str) -> Contents {
    let mut copy = Contents::default();
    copy.meta = contents.meta.clone();
    for other in NUMBERS.iter().filter(|n| **n != name) {
        if let Ok((values, shape)) = contents.f64s(other) {
            copy.put_f64(other, shape, &values);
        }
    }
    for other in INDICES.iter().filter(|n| **n != name) {
        if let Ok((values, shape)) = contents.u32s(other) {
            copy.put_u32(other, shape, &values);
        }
    }
    copy
}

#[test]
fn missing_tensors_and_wrong_shapes_and_types_are_errors() {
    for contents in models() {
        assert_eq!(without(&contents, "none"), contents, "the list of tensors is complete");
        assert!(!is_clear(use_it(&contents), "untouched"));
        for name in NUMBERS {
            let Ok((values, shape)) = contents.f64s(name) else { continue };
            let shape = shape.to_vec();
            assert!(is_clear(use_it(&without(&contents, name)), name), "without {name}");
            let with = |shape: &[usize], values: &[f64]| {
                let mut edited = contents.clone();
                edited.put_f64(name, shape, values);
                is_clear(use_it(&edited), name)
            };
            assert!(with(&shape, &values[1..]), "{name}: shorter than its shape");
            assert!(with(&[0], &[]), "{name}: empty");
            assert!(with(&[0, 3], &[]), "{name}: no rows");
            assert!(with(&[usize::MAX, usize::MAX], &values), "{name}: a huge shape");
            let mut edited = contents.clone();
            edited.put_u32(name, &shape, &vec![1; values.len()]);
            assert!(is_clear(use_it(&edited), name), "{name}: another type");
        }
        for name in INDICES {
            let Ok((values, shape)) = contents.u32s(name) else { continue };
            assert!(is_clear(use_it(&without(&contents, name)), name), "without {name}");
            // Any number of changes is possible; and without trimmed samples there is nothing to change.
            if name == "committee.changes" || values.is_empty() {
                continue;
            }
            for (shape, values) in [
                (vec![0], Vec::new()),
                (shape.to_vec(), values[1..].to_vec()),
                (shape.to_vec(), vec![u32::MAX; values.len()]),
                (shape.to_vec(), vec![24; values.len()]),
            ] {
                let mut edited = contents.clone();
                edited.put_u32(name, &shape, &values);
                assert!(is_clear(use_it(&edited), name), "{name}: {shape:?}");
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite_and_negative_lengths_are_errors() {
    for contents in models() {
        for name in NUMBERS {
            for hostile in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                // A closeness of zero has an infinite logarithm.
                if name == "regions.log_closeness" && !hostile.is_nan() {
                    continue;
                }
                let Ok((mut values, shape)) = contents.f64s(name) else { continue };
                let last = values.len() - 1;
                values[last] = hostile;
                let mut edited = contents.clone();
                edited.put_f64(name, shape, &values);
                assert!(is_clear(use_it(&edited), name), "{name}: {hostile}");
            }
        }
        let (mut lengths, shape) = contents.f64s("lists.lengths").unwrap();
        lengths[0] = -1.0;
        let mut edited = contents.clone();
        edited.put_f64("lists.lengths", shape, &lengths);
        assert!(is_clear(use_it(&edited), "negative length"));
    }
}

/// Two thousand single tensor values, replaced by others that a file may contain.
#[test]
fn random_edits_of_tensors_do_not_panic() {
    let models = models();
    let mut random = Random::new(3);
    let mut errors = 0;
    for i in 0..2000 {
        let mut edited = models[i % models.len()].clone();
        if random.below(2) == 0 {
            let name = NUMBERS[random.below(NUMBERS.len())];
            let Ok((mut values, shape)) = edited.f64s(name) else { continue };
            let shape = shape.to_vec();
            let hostile = [0.0, -0.0, -1.0, 1e-320, 1e308, -1e308, f64::MAX, f64::NAN, f64::INFINITY, 1.5];
            let at = random.below(values.len());
            values[at] = hostile[random.below(hostile.len())];
            edited.put_f64(name, &shape, &values);
        } else {
            let name = INDICES[random.below(INDICES.len())];
            let Ok((mut values, shape)) = edited.u32s(name) else { continue };
            if values.is_empty() {
                continue;
            }
            let shape = shape.to_vec();
            let at = random.below(values.len());
            values[at] = [0, 1, 2, 23, 24, u32::MAX][random.below(6)];
            edited.put_u32(name, &shape, &values);
        }
        errors += usize::from(is_clear(use_it(&edited), "a random edit"));
    }
    assert!(errors > 500, "most edits are noticed: {errors}");
}

/// The paths of all values inside `value`.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(entries) => {
            for (key, inner) in entries {
                places(inner, &format!("{at}/{key}"), all);
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                places(inner, &format!("{at}/{i}"), all);
            }
        }
        _ => {}
    }
}

/// Every value in the description of the model, replaced by every other kind of value, and removed.
#[test]
fn every_edit_of_the_description_is_an_error_or_harmless() {
    let hostile = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(5e-324),
        json!(u64::MAX),
        json!("x"),
        json!(["x"]),
        json!([]),
        json!({}),
        json!([1e300, -1.0, 0.0]),
    ];
    for contents in models() {
        let mut all = Vec::new();
        places(&contents.meta, "", &mut all);
        assert!(all.len() > 40, "{all:?}");
        for place in &all {
            for value in &hostile {
                let mut edited = contents.clone();
                *edited.meta.pointer_mut(place).unwrap() = value.clone();
                is_clear(use_it(&edited), &format!("{place} = {value}"));
            }
            let (parent, key) = place.rsplit_once('/').unwrap_or(("", ""));
            let mut edited = contents.clone();
            if let Some(Value::Object(entries)) = edited.meta.pointer_mut(parent) {
                entries.remove(key);
                is_clear(use_it(&edited), &format!("{place} left out"));
            }
        }
        for (place, value) in [
            ("/kind", json!("graphs")),
            ("/dissimilarity", json!("own")),
            ("/summary/samples", json!(23)),
            ("/summary/samples", json!(u64::MAX)),
            ("/summary/neighbors", json!(0)),
            ("/summary/neighbors", json!(24)),
            ("/judge", json!("nobody")),
            ("/learned/bound", json!(-1.0)),
            ("/params/alpha", json!(1.0)),
            ("/state/features/weights", json!([1.0, 1.0])),
            ("/state/features/spreads", json!([1.0, 1.0, 0.0])),
            ("/state/weights", json!([1.0, 1.0])),
            ("/state/weights", json!([1.0, 1.0, -1.0])),
            ("/state/rows", json!(23)),
            ("/state/columns/0/numbers/tensor", json!("regions.of")),
            ("/state/columns/0/numbers/tensor", json!("lists.lengths")),
            ("/learned/few", json!(0)),
            ("/learned/views", json!([])),
            ("/learned/views/1/weight", json!(-1.0)),
            ("/learned/views/2/unit", json!(0.0)),
        ] {
            let mut edited = contents.clone();
            // The state belongs to one measure or another.
            let Some(found) = edited.meta.pointer_mut(place) else {
                let is_of_some = place.starts_with("/state/") || place.starts_with("/learned/");
                assert!(is_of_some, "{place} is not in the description");
                continue;
            };
            *found = value.clone();
            assert!(is_clear(use_it(&edited), place), "{place} = {value} goes unnoticed");
        }
    }
}

#[test]
fn a_model_of_another_kind_is_recognized() {
    let matrix = Matrix::new(vec![0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0], 3, 3);
    let measure = Precomputed::measure(Preset::Default, None, &Settings::default()).unwrap();
    let params = OneClass::new(Preset::Default).check().unwrap();
    let given = params.fit_with(&Precomputed::square(matrix).unwrap(), measure, &Silent).unwrap();
    let contents = given.to_contents().unwrap();
    let e = Model::<Vectors>::from_contents(&contents).err().expect("an error");
    assert!(e.is_model_file() && e.to_string().contains("precomputed"), "{e}");
    // Columns that do not exist.
    for (place, value) in
        [("/samples/columns", json!(2)), ("/samples/columns", json!("many")), ("/samples", json!(3))]
    {
        let mut edited = contents.clone();
        *edited.meta.pointer_mut(place).unwrap() = value;
        assert!(Model::<Precomputed>::from_contents(&edited).err().expect("an error").is_model_file());
    }
}
