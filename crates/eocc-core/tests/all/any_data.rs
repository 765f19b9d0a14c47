//! Strings, time series, mixed tables and records: the laws of every measure of their catalogues, and models of them.
use eocc_core::dissimilarity::SearchCache;
use eocc_core::embedding::{embed, embed_cached};
use eocc_core::kinds::{Combined, Part};
use eocc_core::random::Random;
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_core::{
    AnyModel, Dissimilarity, MixedTable, OneClass, Preset, Records, SampleKind, SampleSet, SearchKind,
    Series, SeriesSet, Settings, Silent, Texts,
};

const LETTERS: &[u8] = b"ARNDCQEGHILKMFPSTWYV";

fn text(r: &mut Random, longest: usize) -> String {
    let length = r.below(longest + 1);
    (0..length).map(|_| char::from(LETTERS[r.below(LETTERS.len())])).collect()
}

fn texts(n: usize, longest: usize, seed: u64) -> Texts {
    let mut r = Random::new(seed);
    let mut all: Vec<String> = (0..n).map(|_| text(&mut r, longest)).collect();
    // An empty one, and two equal ones.
    all[0] = String::new();
    let copy = all[1].clone();
    all[2] = copy;
    Texts::new(all).unwrap()
}

fn series(n: usize, channels: usize, seed: u64) -> SeriesSet {
    let mut r = Random::new(seed);
    let one = |r: &mut Random| {
        let length = 1 + r.below(15);
        Series::new((0..length * channels).map(|_| r.normal()).collect(), channels).unwrap()
    };
    let mut all: Vec<Series> = (0..n).map(|_| one(&mut r)).collect();
    all[2] = all[1].clone();
    SeriesSet::new(all).unwrap()
}

fn mixed(n: usize, seed: u64) -> MixedTable {
    let mut r = Random::new(seed);
    let levels = |l: &[&str]| l.iter().map(ToString::to_string).collect::<Vec<_>>();
    let kinds = [
        ColumnKind::Number,
        ColumnKind::Boolean,
        ColumnKind::Category(levels(&["a", "b", "c"])),
        ColumnKind::Ordered(levels(&["low", "mid", "high"])),
    ];
    let column = |(f, kind): (usize, ColumnKind)| {
        let cell = |r: &mut Random, row: usize| {
            let value = match &kind {
                ColumnKind::Number | ColumnKind::Date(_) => r.normal(),
                ColumnKind::Boolean => r.below(2) as f64,
                ColumnKind::Category(l) | ColumnKind::Ordered(l) => r.below(l.len()) as f64,
            };
            // The first rows are complete, so that every column is known.
            (row < 3 || r.uniform() > 0.1).then_some(value)
        };
        let cells = (0..n).map(|row| cell(&mut r, row)).collect();
        (MixedColumn { name: format!("c{f}"), kind: kind.clone() }, cells)
    };
    MixedTable::new(kinds.into_iter().enumerate().map(column).collect()).unwrap()
}

fn records(n: usize, seed: u64) -> Records {
    Records::new(vec![
        Part::new("text", texts(n, 12, seed)),
        Part::new("wave", series(n, 2, seed + 1)),
        Part::new("table", mixed(n, seed + 2)),
    ])
    .unwrap()
}

/// The laws promised by the trait, for every measure of a catalogue with its own settings.
fn laws<X: SampleKind>(samples: &X, settings: &[&str]) {
    let refs = samples.refs();
    let n = refs.len();
    for entry in X::catalogue() {
        for preset in crate::support::PRESETS {
            let mut given = Settings::default();
            for text in settings {
                given.parse(text).unwrap();
            }
            let Ok(mut d) = X::measure(preset, Some(entry.name), &given) else { continue };
            d.learn(&refs, samples.feature_names()).unwrap();
            let name = format!("{} {settings:?}", d.name());
            let prepared = d.prepare(&refs);
            let (mut row, mut bounds) = (vec![0.0; n], vec![0.0; n]);
            let mut all = Vec::new();
            for (i, one) in refs.iter().enumerate() {
                prepared.fill(one, 0..n, &mut row);
                let mut part = vec![0.0; n.saturating_sub(3)];
                prepared.fill(one, 2..n - 1, &mut part);
                assert_eq!(part, row[2..n - 1], "{name}");
                let mut some = [0.0; 3];
                prepared.fill_some(one, &[5, 0, 4], &mut some);
                assert_eq!(some.map(f64::to_bits), [row[5], row[0], row[4]].map(f64::to_bits), "{name}");
                for (j, other) in refs.iter().enumerate() {
                    let value = d.between(one, other);
                    assert!(value.is_finite() && value >= 0.0, "{name}: {value}");
                    assert_eq!(value.to_bits(), row[j].to_bits(), "{name}: {i} {j}");
                }
                if prepared.lower_bounds(one, &mut bounds) {
                    assert!(bounds.iter().zip(&row).all(|(b, v)| b <= v), "{name}");
                }
                all.push(row.clone());
            }
            // Several at a time.
            let mut each = vec![0.0; 4 * (n - 3)];
            prepared.fill_each(&refs[..4], 2..n - 1, &mut each);
            for (row, part) in all.iter().zip(each.chunks(n - 3)) {
                assert_eq!(part, &row[2..n - 1], "{name}");
            }
            let symmetric = |i: usize, j: usize| crate::support::is_near(all[i][j], all[j][i], 1e-12);
            if d.properties().symmetric {
                assert!((0..n).all(|i| (0..i).all(|j| symmetric(i, j))), "{name}");
            }
            // Samples 1 and 2 are equal.
            assert!(all[1][2].abs() < 1e-9, "{name}: {}", all[1][2]);
            if d.properties().metric {
                let is_short = |i: usize, j: usize, k: usize| all[i][k] <= all[i][j] + all[j][k] + 1e-9;
                assert!((0..n).all(|i| (0..n).all(|j| (0..n).all(|k| is_short(i, j, k)))), "{name}");
            }
            // The matrix is the same by halves and as a whole, and so is a restored measure.
            let indices: Vec<usize> = (0..n).collect();
            let matrix = embed(&refs, &indices, d.as_ref(), &Silent).unwrap();
            let restored = (entry.restore)(&(&d.state().unwrap()).into()).unwrap();
            for i in 0..n {
                for j in 0..n {
                    assert!(crate::support::is_near(matrix.row(i)[j], all[i][j], 1e-12), "{name}: {i} {j}");
                    assert_eq!(restored.between(refs[i], refs[j]).to_bits(), all[i][j].to_bits(), "{name}");
                }
            }
        }
    }
}

#[test]
fn measures_of_strings_keep_the_laws() {
    for settings in [vec![], vec!["normalize=false"]] {
        laws(&texts(25, 90, 1), &settings);
    }
    laws(&texts(15, 30, 2), &["unit=bytes"]);
    let words: Vec<String> =
        ["", "the cat", "the cat", "a cat", "cat the", "no  dog", "x"].map(str::to_owned).to_vec();
    laws(&Texts::new(words).unwrap(), &["unit=tokens", "normalize=false"]);
    laws(&texts(15, 70, 3), &["insertion=2", "deletion=2", "substitution=1.5", "normalize=false"]);
    laws(&texts(15, 70, 3), &["insertion=1", "deletion=2"]);
}

#[test]
fn measures_of_series_keep_the_laws() {
    for channels in [1, 3] {
        laws(&series(20, channels, 4), &[]);
        laws(&series(20, channels, 5), &["band=0.2", "local=squared", "normalize=false"]);
    }
}

#[test]
fn measures_of_records_keep_the_laws() {
    let mut whole = records(12, 6);
    whole = whole.select(&(0..12).collect::<Vec<_>>());
    let refs = whole.refs();
    let mut d = Combined::new(Preset::Default, &Settings::default()).unwrap();
    d.learn(&refs, &[]).unwrap();
    let names: Vec<String> = d.parameters().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["weight.text", "weight.wave", "weight.table"]);
    for i in 0..12 {
        for j in 0..12 {
            assert!(crate::support::is_near(d.between(refs[i], refs[j]), d.between(refs[j], refs[i]), 1e-12));
        }
    }
}

fn round_trip<X: SampleKind>(samples: &X, preset: Preset)
where
    AnyModel: From<eocc_core::Model<X>>,
{
    let measure = X::measure(preset, None, &Settings::default()).unwrap();
    let params = OneClass::new(preset).search(SearchKind::None).check().unwrap();
    let model = params.fit_with(samples, measure, &Silent).unwrap();
    let before = model.decide_all(samples).unwrap();
    assert!(before.iter().all(|d| d.score.is_finite() && (0.0..=1.0).contains(&d.membership)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.eocc");
    model.save(&path).unwrap();
    let loaded: eocc_core::Model<X> = eocc_core::Model::load(&path).unwrap();
    assert_eq!(loaded.decide_all(samples).unwrap(), before);
    let any = AnyModel::load(&path).unwrap();
    assert_eq!(any.summary().samples, samples.count());
    // One by one gives the same as all together.
    let alone: Vec<_> = samples.refs().into_iter().map(|s| loaded.decide(s).unwrap()).collect();
    assert_eq!(alone, before);
}

/// Fits, and if that goes well saves: either what is saved is loaded again and judges as before, or nothing is written.
fn saved_or_refused<X: SampleKind>(samples: &X, what: &str) -> bool
where
    AnyModel: From<eocc_core::Model<X>>,
{
    let mut refused = false;
    for preset in crate::support::PRESETS {
        for entry in X::catalogue() {
            let Ok(measure) = X::measure(preset, Some(entry.name), &Settings::default()) else { continue };
            let params = OneClass::new(preset).search(SearchKind::None).check().unwrap();
            let Ok(model) = params.fit_with(samples, measure, &Silent) else { continue };
            let folder = tempfile::tempdir().unwrap();
            let (path, any) = (folder.path().join("m.eocc"), folder.path().join("any.eocc"));
            let what = format!("{what}, {}, {preset:?}", entry.name);
            let saved = model.save(&path);
            let before = model.training_decisions();
            assert_eq!(AnyModel::from(model).save(&any).is_ok(), saved.is_ok(), "{what}");
            match saved {
                Ok(()) => {
                    let loaded: eocc_core::Model<X> =
                        eocc_core::Model::load(&path).unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert_eq!(loaded.training_decisions(), before, "{what}");
                    AnyModel::load(&any).unwrap_or_else(|e| panic!("{what}: {e}"));
                }
                Err(e) => {
                    assert!(e.to_string().contains("could not be loaded again"), "{what}: {e}");
                    assert!(!path.exists() && !any.exists(), "{what}");
                    refused = true;
                }
            }
        }
    }
    refused
}

#[test]
fn what_could_not_be_loaded_again_is_not_saved_whatever_the_kind() {
    const ROWS: usize = 24;
    let place = |i: usize| (i as f64 * 0.754_877_666).fract();
    for scale in [1e-320, 1e-310, 1e-160, 1.0, 1e150, 1e300] {
        let what = |kind: &str| format!("{kind} of {scale:e}");
        let numbers = |f: usize| (0..ROWS).map(move |i| place(i + 31 * f) * scale);
        let rows: Vec<Vec<f64>> = (0..ROWS).map(|i| vec![place(i) * scale, place(i + 31) * scale]).collect();
        let vectors = crate::support::vectors(&rows);
        saved_or_refused(&vectors, &what("vectors"));
        let column = |f: usize| {
            let kind = MixedColumn { name: format!("c{f}"), kind: ColumnKind::Number };
            (kind, numbers(f).map(Some).collect())
        };
        // Some numbers are too large for a column.
        if let Ok(mixed) = MixedTable::new(vec![column(0), column(1)]) {
            saved_or_refused(&mixed, &what("mixed rows"));
        }
        // Numbers that are too large for a series are refused.
        let wave_scale = scale.min(1e150);
        let one = |i: usize| Series::new((0..9).map(|t| place(i * 9 + t) * wave_scale).collect(), 1).unwrap();
        let waves = SeriesSet::new((0..ROWS).map(one).collect()).unwrap();
        saved_or_refused(&waves, &what("series"));
        let graph = |i: usize| {
            let mut graph = eocc_core::graphs::GraphInput::new(format!("g{i}"), false);
            for v in 0..4 {
                let weight = eocc_core::graphs::Value::Number(place(4 * i + v) * scale);
                graph.vertex(v.to_string(), [("w", weight)]);
            }
            (1..4).for_each(|v| {
                graph.edge(0, v, []);
            });
            graph
        };
        let graphs = eocc_core::Graphs::new((0..ROWS).map(graph).collect()).unwrap();
        saved_or_refused(&graphs, &what("graphs"));
        let parts = vec![Part::new("table", vectors), Part::new("wave", waves)];
        saved_or_refused(&Records::new(parts).unwrap(), &what("records"));
        let distances: Vec<f64> =
            (0..ROWS * ROWS).map(|k| (place(k / ROWS) - place(k % ROWS)).abs() * scale).collect();
        let given = eocc_core::Precomputed::square(eocc_core::Matrix::new(distances, ROWS, ROWS));
        let refused = given.is_ok_and(|given| saved_or_refused(&given, &what("distances")));
        // The one that was found first, so that the test can fail.
        assert!(refused || scale > 1e-319, "{scale:e}");
    }
    saved_or_refused(&texts(ROWS, 12, 3), "texts");
}

#[test]
fn models_of_any_data_are_saved_and_loaded() {
    for preset in crate::support::PRESETS {
        round_trip(&texts(30, 40, 7), preset);
        round_trip(&series(30, 2, 8), preset);
        round_trip(&series(160, 1, 9), preset);
        round_trip(&mixed(30, 10), preset);
        round_trip(&records(30, 11), preset);
    }
}

#[test]
fn what_does_not_depend_on_the_weights_is_kept() {
    let samples = records(20, 12);
    let refs = samples.refs();
    let mut settings = Settings::default();
    settings.parse("inner=searched").unwrap();
    let mut d = Combined::new(Preset::Paper, &settings).unwrap();
    d.learn(&refs, &[]).unwrap();
    let all: Vec<usize> = (0..20).collect();
    let mut kept = SearchCache::default();
    let mut p: Vec<f64> = d.parameters().iter().map(|p| p.value).collect();
    let plain = |d: &Combined| {
        let prepared = d.prepare(&refs);
        let mut row = vec![0.0; 20];
        prepared.fill(refs[3], 0..20, &mut row);
        row
    };
    for (step, computed) in [(0, 3), (1, 3), (2, 4)] {
        match step {
            // Weights only.
            1 => p[0] = 0.25,
            // The weight of a channel: the series are compared again, the rest is cached.
            2 => p[3] = 0.5,
            _ => {}
        }
        d.set(&p);
        let matrix = embed_cached(&refs, &all, &d, &mut kept, &Silent).unwrap();
        assert_eq!(kept.computed(), computed);
        for (a, b) in matrix.row(3).iter().zip(plain(&d)) {
            assert!(crate::support::is_near(*a, b, 1e-12), "{a} {b}");
        }
    }
}

#[test]
fn unequal_costs_need_prototypes() {
    let samples = texts(20, 10, 13);
    let mut settings = Settings::default();
    settings.parse("insertion=1").unwrap();
    settings.parse("deletion=2").unwrap();
    let measure = || Texts::measure(Preset::Default, None, &settings).unwrap();
    let direct = OneClass::new(Preset::Default).check().unwrap();
    let e = direct.fit_with(&samples, measure(), &Silent).err().unwrap().to_string();
    assert!(e.contains("symmetric") && e.contains("the preset `paper`"), "{e}");
    let embedded = OneClass::new(Preset::Paper).search(SearchKind::None).check().unwrap();
    assert!(embedded.fit_with(&samples, measure(), &Silent).is_ok());
}

#[test]
fn symbols_outside_of_the_matrix_are_named() {
    let samples = Texts::new(["ACD", "A1D", "AAA", "CCC"].map(str::to_owned).to_vec()).unwrap();
    let measure = Texts::measure(Preset::Default, Some("alignment"), &Settings::default()).unwrap();
    let e = OneClass::new(Preset::Default).fit_with(&samples, measure, &Silent).err().unwrap();
    assert!(e.to_string().starts_with("sample 1: the symbol `1` at position 1"), "{e}");
}

/// Nominal records are of one of two kinds in all parts at the same time; the outliers mix the kinds. So every single
/// part looks the same in both, and only all parts together distinguish them.
fn two_kinds(n: usize, is_nominal: bool, seed: u64) -> Records {
    let mut r = Random::new(seed);
    let kinds = |r: &mut Random, i: usize| -> [usize; 3] {
        if is_nominal {
            return [i % 2; 3];
        }
        // Two of one kind and one of the other, alternating.
        let mut kinds = [i % 2; 3];
        kinds[r.below(3)] = 1 - i % 2;
        kinds
    };
    let (mut texts, mut waves, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        let [text, wave, number] = kinds(&mut r, i);
        let motif = ["ACACACACACAC", "GTTGTTGTTGTT"][text];
        let at = r.below(12);
        texts.push(format!("{}{}{}", &motif[..at], char::from(LETTERS[r.below(20)]), &motif[at..]));
        let (speed, start) = ([0.4, 1.1][wave], 0.3 * r.uniform());
        let value = |t: usize, r: &mut Random| (speed * t as f64 + start).sin() + 0.05 * r.normal();
        waves.push(Series::univariate((0..20).map(|t| value(t, &mut r)).collect()).unwrap());
        numbers.push(vec![[0.0, 4.0][number] + 0.3 * r.normal(), r.normal()]);
    }
    Records::new(vec![
        Part::new("text", Texts::new(texts).unwrap()),
        Part::new("wave", SeriesSet::new(waves).unwrap()),
        Part::new("numbers", crate::support::vectors(&numbers)),
    ])
    .unwrap()
}

/// The area under the ROC curve, by counting pairs.
fn auc(nominal: &[f64], outliers: &[f64]) -> f64 {
    let win =
        |a: f64, b: f64| if a > b { 1.0 } else { 0.5 * f64::from(u8::from(a.to_bits() == b.to_bits())) };
    let wins: f64 = nominal.iter().map(|a| outliers.iter().map(|b| win(*a, *b)).sum::<f64>()).sum();
    wins / (nominal.len() * outliers.len()) as f64
}

#[test]
fn the_searched_weights_find_what_no_part_shows_alone() {
    let (train, nominal, outliers) =
        (two_kinds(80, true, 1), two_kinds(60, true, 2), two_kinds(60, false, 3));
    let scores = |model: &eocc_core::Model<Records>, of: &Records| -> Vec<f64> {
        model.decide_all(of).unwrap().iter().map(|d| d.score).collect()
    };
    let measure = |weights: Option<[f64; 3]>| {
        let mut d = Combined::new(Preset::Default, &Settings::default()).unwrap();
        d.learn(&train.refs(), &[]).unwrap();
        weights.inspect(|w| d.set(w));
        d
    };
    // One part at a time, by kNN on its dissimilarity: nothing is detected.
    for alone in 0..3 {
        let mut weights = [0.0; 3];
        weights[alone] = 1.0;
        let d = measure(Some(weights));
        let prepared = d.prepare(&train.refs());
        let nearest = |of: &Records| -> Vec<f64> {
            let mut row = vec![0.0; 80];
            let mut one = |s| {
                prepared.fill(s, 0..80, &mut row);
                row.sort_by(f64::total_cmp);
                -row[..5].iter().sum::<f64>()
            };
            of.refs().into_iter().map(&mut one).collect()
        };
        let single = auc(&nearest(&nominal), &nearest(&outliers));
        assert!((0.35..0.65).contains(&single), "part {alone} alone: {single}");
    }
    for (preset, search) in [
        (Preset::Default, SearchKind::None),
        (Preset::Default, SearchKind::Genetic),
        (Preset::Paper, SearchKind::Genetic),
    ] {
        let params = OneClass::new(preset).search(search).check().unwrap();
        let model = params.fit_with(&train, Box::new(measure(None)), &Silent).unwrap();
        let weights: Vec<f64> = model.dissimilarity().parameters().iter().map(|p| p.value).collect();
        let found = auc(&scores(&model, &nominal), &scores(&model, &outliers));
        println!("{preset:?} {search:?}: AUC {found:.3}, weights {weights:.2?}");
        // More than any single part. `default` detects nearly all, unless a search gives all parts together a small
        // weight.
        let least = match (preset, search) {
            (Preset::Default, SearchKind::None) => 0.95,
            (Preset::Default, _) => 0.8,
            _ => 0.65,
        };
        assert!(found > least, "{preset:?} {search:?}: {found}, weights {weights:?}");
    }
}
