//! What callers outside of the library rely on: explanations, the score boundary, custom functions and matrices,
//! samples sent elsewhere.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{PRESETS, fit, normals, vectors};
use eocc_core::dissimilarity::{CustomDissimilarity, ExternalMatrix, RowWork, RowsFound};
use eocc_core::embedding::between_sets;
use eocc_core::graphs::{GraphInput, Graphs, Value};
use eocc_core::kinds::{ExternalRequest, ExternalRows};
use eocc_core::{
    AnySamples, Dissimilarity, Error, Matrix, Model, OneClass, Preset, Representation, SampleKind, SampleSet,
    SearchKind, Settings, Silent, Texts, Vectors,
};

fn words() -> Texts {
    let all =
        ["cat", "cart", "care", "core", "cord", "card", "car", "cab", "scar", "scarf", "carve", "curve"];
    Texts::new(all.map(String::from).to_vec()).expect("words")
}

fn length_difference() -> Box<dyn Dissimilarity<str>> {
    Box::new(CustomDissimilarity::new(|a: &str, b: &str| a.len().abs_diff(b.len()) as f64))
}

#[test]
fn acceptance_is_a_matter_of_the_boundary() {
    let rows = normals(80, 3, 1);
    let tests = normals(200, 3, 2).into_iter().map(|row| row.iter().map(|v| 2.0 * v).collect::<Vec<f64>>());
    let tests = vectors(&tests.collect::<Vec<_>>());
    for reject in [0.001, 0.01, 0.05, 0.3] {
        for preset in PRESETS {
            let model = fit(OneClass::new(preset).search(SearchKind::None).reject(reject), &rows);
            for decision in model.decide_all(&tests).unwrap() {
                assert_eq!(decision.accepted, decision.score >= model.boundary(), "{decision:?}");
            }
        }
    }
    let model = fit(OneClass::new(Preset::Paper).search(SearchKind::None), &rows);
    for decision in model.decide_all(&tests).unwrap() {
        let above = decision.score - model.boundary();
        assert!(above.abs() < 1e-6 || decision.accepted == (above > 0.0), "{decision:?}");
    }
}

/// A training sample must not be its own neighbor; repeated samples see their copies.
#[test]
fn training_samples_are_answered_as_if_they_were_new() {
    let once = normals(200, 2, 10);
    let with_one_twice = [once.clone(), vec![once[7].clone()]].concat();
    let all_twice = [once.clone(), once.clone()].concat();
    for rows in [once, with_one_twice, all_twice] {
        let model = fit(OneClass::default(), &rows);
        let decisions = model.decide_all(&vectors(&rows)).unwrap();
        for (decision, score) in decisions.iter().zip(model.training_scores()) {
            assert_eq!(decision.score.to_bits(), score.to_bits());
        }
        // About one in twenty.
        let rejected = decisions.iter().filter(|d| !d.accepted).count() as f64 / rows.len() as f64;
        // If every row is repeated, its copy makes it nominal.
        let least = if rows.len() == 400 { 0.01 } else { 0.02 };
        assert!((least..=0.09).contains(&rejected), "{rejected}");
    }
}

#[test]
fn rows_kept_elsewhere_are_decided_alike() {
    let model = fit(OneClass::default(), &normals(60, 3, 3));
    let tests = normals(20, 3, 4);
    let refs: Vec<&[f64]> = tests.iter().map(Vec::as_slice).collect();
    let scoring = model.params().scoring;
    let decided = model.decide_refs(&refs, scoring, &Silent).unwrap();
    assert_eq!(decided, model.decide_all(&vectors(&tests)).unwrap());
    assert!(model.decide_refs(&[&[1.0]], scoring, &Silent).is_err());
}

/// Whatever the reason, a refused sample costs no more than a second comparison of those next to it.
#[test]
fn samples_that_cannot_be_judged_do_not_keep_others_from_being_judged() {
    static COMPARED: AtomicUsize = AtomicUsize::new(0);
    let measure = CustomDissimilarity::new(|a: &str, b: &str| {
        COMPARED.fetch_add(1, Ordering::Relaxed);
        if a.contains('!') || b.contains('!') { f64::NAN } else { a.len().abs_diff(b.len()) as f64 }
    });
    let params = OneClass::new(Preset::Paper).search(SearchKind::None).check().unwrap();
    let model = params.fit_with(&words(), Box::new(measure), &Silent).unwrap();
    let scoring = model.params().scoring;
    let decide = |mark: &str| {
        let texts = (0..1000).map(|i| format!("{}{}", "x".repeat(i % 9), if i % 2 == 0 { "" } else { mark }));
        COMPARED.store(0, Ordering::Relaxed);
        let decided = model.decide_each(&Texts::new(texts.collect()).unwrap(), scoring, &Silent).unwrap();
        (decided, COMPARED.load(Ordering::Relaxed))
    };
    let ((good, least), (all, most)) = (decide(""), decide("!"));
    assert!(most <= 2 * least, "{least} comparisons, {most} with bad samples");
    for (i, (good, decided)) in good.iter().zip(all).enumerate() {
        assert_eq!(decided.is_ok(), i % 2 == 0, "{i}");
        if let Ok(decided) = decided {
            assert_eq!(Some(&decided), good.as_ref().ok());
        }
    }
    // What the model requires of all samples is required of each.
    let rows = vectors(&normals(40, 2, 5));
    let samples = AnySamples::new(rows);
    let cosine = samples.measure(Preset::Paper, Some("cosine"), &Settings::default()).unwrap();
    let model = samples.train(&params, cosine, &Silent).unwrap();
    let tests = Matrix::new(vec![1.0, 2.0, f64::NAN, 1.0, 4.0, f64::NAN, 3.0, 1.0], 4, 2);
    let tests = AnySamples::new(Vectors::with_missing(tests, Vec::new()).unwrap());
    let decided = model.decide_each(&tests, scoring, &Silent).unwrap();
    assert_eq!(
        decided.iter().map(std::result::Result::is_ok).collect::<Vec<_>>(),
        [true, false, false, true]
    );
    let said = decided[2].as_ref().unwrap_err().to_string();
    assert!(said.contains("column 1: the value is missing"), "{said}");
    let alone = model.decide_all(&tests.select(&[0, 3])).unwrap();
    assert_eq!([0, 3].map(|i| *decided[i].as_ref().unwrap()), [alone[0], alone[1]]);
}

#[test]
fn explanations_name_neighbors_and_features() {
    let rows = normals(60, 4, 5);
    for preset in PRESETS {
        let model = fit(OneClass::new(preset).search(SearchKind::None), &rows);
        let mut far = rows[17].clone();
        far[2] += 0.01;
        let mut farther = rows[17].clone();
        farther[2] += 1e6;
        let all = model.explain(&vectors(&[far, farther, rows[3].clone()]), 3, &Silent).unwrap();
        assert_eq!(all[0].nearest[0].0, 17);
        // A training sample does not explain itself.
        assert!(all[2].nearest.iter().all(|n| n.0 != 3), "{:?}", all[2]);
        assert!(all[1].shares[2] > 0.99, "{:?}", all[1]);
        for one in &all {
            assert_eq!((one.nearest.len(), one.shares.len()), (3, 4));
            assert!(one.nearest.is_sorted_by(|a, b| a.1 <= b.1));
            assert!((one.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
    let measure = Texts::measure(Preset::Default, None, &Settings::default()).unwrap();
    let model = OneClass::default().check().unwrap().fit_with(&words(), measure, &Silent).unwrap();
    let one = &model.explain(&Texts::new(vec!["cards".into()]).unwrap(), 100, &Silent).unwrap()[0];
    // The whole string, its trigrams, and seven columns of a summary.
    assert_eq!((one.nearest[0].0, one.nearest.len(), one.shares.len()), (5, 12, 9));
    assert!((one.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn the_embedding_of_new_samples_is_that_of_the_measure() {
    let model = fit(OneClass::default(), &normals(40, 2, 6));
    let tests = vectors(&normals(50, 2, 7));
    let embedded = model.embed_all(&tests, &Silent).unwrap();
    assert_eq!((embedded.rows(), embedded.columns()), (50, 40));
    for (i, j) in [(0, 0), (7, 39), (49, 20)] {
        let between = model.dissimilarity().between(tests.sample(i), model.reference().sample(j));
        assert!((embedded.row(i)[j] - between).abs() < 1e-12);
    }
}

#[test]
fn a_model_with_a_function_is_loaded_with_it() {
    let model =
        OneClass::default().check().unwrap().fit_with(&words(), length_difference(), &Silent).unwrap();
    let contents = model.to_contents().unwrap();
    let e = Model::<Texts>::from_contents(&contents).err().expect("no function");
    assert!(e.is_model_file() && e.to_string().contains("to load it, pass that function"), "{e}");
    let again = Model::<Texts>::from_contents_with(&contents, length_difference()).unwrap();
    let tests = Texts::new(vec!["ca".into(), "caravan".into()]).unwrap();
    assert_eq!(model.decide_all(&tests).unwrap(), again.decide_all(&tests).unwrap());
    assert_eq!(again.to_contents().unwrap(), contents);

    // Samples that cannot be stored in a file: the caller stores them.
    let own = || Box::new(CustomDissimilarity::new(|a: &u32, b: &u32| f64::from(a.abs_diff(*b))));
    let numbers: Vec<u32> = (0..30).map(|i| i * i).collect();
    let model = OneClass::default().check().unwrap().fit_with(&numbers, own(), &Silent).unwrap();
    let parts = model.to_parts().unwrap();
    let again = Model::from_parts(&parts, model.reference().clone(), own()).unwrap();
    assert_eq!(model.decide(&400).unwrap(), again.decide(&400).unwrap());
}

#[test]
fn matrices_computed_elsewhere_give_the_same_model() {
    let samples = vectors(&normals(70, 3, 8));
    for (preset, search) in [
        (Preset::Default, SearchKind::None),
        (Preset::Paper, SearchKind::None),
        (Preset::Paper, SearchKind::Genetic),
    ] {
        for representation in [None, Some(Representation::Prototypes(eocc_core::Prototypes::Random(20)))] {
            if preset == Preset::Default && representation.is_some() {
                continue;
            }
            let mut params = OneClass::new(preset).search(search);
            params.representation = representation.unwrap_or(params.representation);
            params.tau = 0.0;
            params.evaluations = 5;
            let params = params.check().unwrap();
            let measure = || Vectors::measure(preset, None, &Settings::default()).unwrap();
            let here = params.fit_with(&samples, measure(), &Silent).unwrap();
            let calls = Arc::new(AtomicUsize::new(0));
            let (count, all) = (Arc::clone(&calls), samples.clone());
            let elsewhere = ExternalMatrix::new(
                measure(),
                samples.count(),
                move |d: &dyn Dissimilarity<[f64]>, prototypes: &[usize]| {
                    count.fetch_add(1, Ordering::Relaxed);
                    // As a worker does: the measure from its name and state.
                    let d = Vectors::restore_measure(
                        d.name(),
                        &(&d.state().expect("a state")).into(),
                        &eocc_core::Kinds::default(),
                    )?;
                    between_sets(&all.refs(), &all.select(prototypes).refs(), d.as_ref(), &Silent)
                },
            );
            let there = params.fit_with(&samples, Box::new(elsewhere), &Silent).unwrap();
            assert_eq!(here.to_contents().unwrap().to_bytes(), there.to_contents().unwrap().to_bytes());
            assert!(calls.load(Ordering::Relaxed) >= 1);
        }
    }
    let wrong = |_: &dyn Dissimilarity<[f64]>, _: &[usize]| Ok(Matrix::zeros(2, 2));
    let measure = Vectors::measure(Preset::Default, None, &Settings::default()).unwrap();
    let params = OneClass::default().check().unwrap();
    let e = params
        .fit_with(&samples, Box::new(ExternalMatrix::new(measure, samples.count(), wrong)), &Silent)
        .err()
        .expect("a wrong shape");
    assert!(e.to_string().contains("is 2 x 2, but must be 70 x 70"), "{e}");
}

/// Strings in families, each with its own letters.
fn families(count: usize) -> Texts {
    let letter = |i: usize, at: usize| b'a' + ((i / 10 * 7 + at * at + (i % 10) * (at % 3)) % 23) as u8;
    let word = |i: usize| (0..8 + i % 9).map(|at| char::from(letter(i, at))).collect::<String>();
    Texts::new((0..count).map(word).collect()).expect("words")
}

#[test]
fn neighbors_found_elsewhere_give_the_same_model() {
    // Too many samples to examine all: neighbors are searched by landmarks.
    for (samples, visits, measure) in
        [(families(700), 96, "levenshtein"), (families(400), 64, "jaro-winkler"), (families(300), 64, "osa")]
    {
        let mut params = OneClass::new(Preset::Default);
        params.visits = Some(visits);
        let params = params.check().unwrap();
        let samples = AnySamples::new(samples);
        let measure = || samples.measure(Preset::Default, Some(measure), &Settings::default()).unwrap();
        let here = samples.train(&params, measure(), &Silent).unwrap();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let (seen, all) = (Arc::clone(&calls), samples.clone());
        let search = move |request: &ExternalRows<'_>| {
            seen.lock().unwrap().push(std::mem::discriminant(request.work));
            // As workers do: the measure from its name and state, and a part of the rows each.
            let state = request.state.as_ref().expect("a state");
            let d = all.kind().restore_measure(request.name, &state.into(), &eocc_core::Kinds::default())?;
            let every: Vec<u32> = (0..all.count() as u32).collect();
            let mut found = RowsFound::default();
            for rows in request.rows.unwrap_or(&every).chunks(37) {
                let part = d.row_search(&all, request.work.clone())?.find(rows)?;
                found.indices.extend(part.indices);
                found.numbers.extend(part.numbers);
            }
            Ok(found)
        };
        let matrix = |_: &ExternalRequest<'_>| Err(Error::input("no matrix is asked for"));
        let elsewhere = measure().with_external_search(samples.count(), Arc::new(matrix), Arc::new(search));
        let there = samples.train(&params, elsewhere, &Silent).unwrap();
        assert_eq!(here.to_contents().unwrap().to_bytes(), there.to_contents().unwrap().to_bytes());
        let calls = calls.lock().unwrap();
        let kinds: HashSet<_> = calls.iter().collect();
        assert_eq!(kinds.len(), 3, "columns, trimming and lists");
    }
}

#[test]
fn what_is_found_elsewhere_is_checked() {
    let samples = AnySamples::new(families(200));
    let mut params = OneClass::new(Preset::Default);
    params.visits = Some(64);
    let params = params.check().unwrap();
    let fit = |found: RowsFound| {
        let search = move |_: &ExternalRows<'_>| Ok(found.clone());
        let matrix = |_: &ExternalRequest<'_>| Err(Error::input("no matrix is asked for"));
        let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
        let measure = measure.with_external_search(200, Arc::new(matrix), Arc::new(search));
        samples.train(&params, measure, &Silent).err().expect("a fault").to_string()
    };
    let few = fit(RowsFound { indices: vec![0; 3], numbers: vec![0.0; 200] });
    assert!(few.contains("3 indices and 200 numbers were found for 200 rows"), "{few}");
    let unknown = fit(RowsFound { indices: vec![200; 2000], numbers: vec![0.0; 200] });
    assert!(unknown.contains("sample 200 was found, but there are 200 samples"), "{unknown}");
    // And so is a worker's request.
    let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
    let refused = |work: RowWork| measure.row_search(&samples, work).err().expect("a fault").to_string();
    assert!(refused(RowWork::Columns { of: vec![200] }).contains("sample 200 is requested"));
    let (among, landmarks) = ((0..200).collect::<Vec<u32>>(), vec![3, 5]);
    let work = RowWork::Nearest { among, landmarks, points: vec![0.0; 7], k: 3, visits: 64 };
    assert!(refused(work).contains("landmarks do not fit"));
    let search = measure.row_search(&samples, RowWork::Columns { of: vec![1] }).unwrap();
    assert!(search.find(&[200]).is_err());
}

#[test]
fn an_index_is_used_whether_or_not_there_are_others() {
    // More rows than are examined: tables have their own index, which a cluster must not change.
    let samples = vectors(&normals(300, 3, 8));
    let mut params = OneClass::new(Preset::Default);
    params.visits = Some(64);
    let params = params.check().unwrap();
    let measure = || Vectors::measure(Preset::Default, None, &Settings::default()).unwrap();
    let here = params.fit_with(&samples, measure(), &Silent).unwrap();
    let compute = |_: &dyn Dissimilarity<[f64]>, _: &[usize]| Err(Error::input("no matrix is asked for"));
    let elsewhere = ExternalMatrix::new(measure(), samples.count(), compute);
    let there = params.fit_with(&samples, Box::new(elsewhere), &Silent).unwrap();
    assert_eq!(here.to_contents().unwrap().to_bytes(), there.to_contents().unwrap().to_bytes());
}

#[test]
fn a_function_is_called_elsewhere_too() {
    let samples = words();
    let calls = Arc::new(AtomicUsize::new(0));
    let (count, all) = (Arc::clone(&calls), samples.clone());
    let compute = move |d: &dyn Dissimilarity<str>, prototypes: &[usize]| {
        count.fetch_add(1, Ordering::Relaxed);
        between_sets(&all.refs(), &all.select(prototypes).refs(), d, &Silent)
    };
    let elsewhere = ExternalMatrix::new(length_difference(), samples.count(), compute);
    let params = OneClass::default().check().unwrap();
    let there = params.fit_with(&samples, Box::new(elsewhere), &Silent).unwrap();
    let here = params.fit_with(&samples, length_difference(), &Silent).unwrap();
    assert_eq!(here.to_contents().unwrap(), there.to_contents().unwrap());
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn samples_can_be_sent_elsewhere() {
    let mut graph = GraphInput::new("g", false);
    let (a, b) = (graph.vertex("a", [("x", Value::Number(1.0))]), graph.vertex("b", []));
    graph.edge(a, b, []);
    let graphs = Graphs::new(vec![graph]).unwrap();
    for set in
        [AnySamples::new(vectors(&normals(5, 2, 9))), AnySamples::new(words()), AnySamples::new(graphs)]
    {
        let contents = set.to_contents();
        let again = AnySamples::from_contents(&contents).unwrap();
        assert_eq!(again.kind(), set.kind());
        assert_eq!(again.to_contents(), contents);
    }
    assert!(AnySamples::from_contents(&eocc_core::file::Contents::default()).is_err());
}
