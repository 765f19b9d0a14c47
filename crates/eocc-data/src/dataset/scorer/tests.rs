use std::sync::{Arc, Mutex};

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array as _, ArrayRef, Date32Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, TimestampMicrosecondArray,
    TimestampMillisecondArray,
};
use eocc_core::parallel::on_this_thread;
use eocc_core::random::Random;
use eocc_core::{AnyModel, Decision, Observer, OneClass, Preset, Progress, Settings, Silent};

use super::{BatchScorer, ScoreOptions};
use crate::dataset::{Dataset, Missing, ModelReader, ReadRequest};
use crate::field_type::FieldType;
use crate::notation::Notation;
use crate::read::{ReadOptions, read_bytes};
use crate::reading::Reading;

fn fitted(text: &str, request: &ReadRequest) -> Arc<AnyModel> {
    let table = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let data = Dataset::of_table(&table, request).unwrap();
    let params = OneClass::new(Preset::Default).check().unwrap();
    let measure = data.samples.measure(Preset::Default, None, &Settings::default()).unwrap();
    let mut model = data.samples.train(&params, measure, &Silent).unwrap();
    Reading::new(request, &data).keep_in(&mut model);
    Arc::new(model)
}

/// The slow way: like `eocc score` reading a file.
fn by_file(model: &AnyModel, text: &str) -> Vec<Decision> {
    let table = read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let mut reader = ModelReader::for_model(model, ReadRequest::default(), None).unwrap();
    let data = Dataset::of_table_for_model(&table, &mut reader).unwrap();
    model.decide_with(&data.samples, model.params().scoring, &Silent).unwrap()
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn floats(values: impl IntoIterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

fn require_same(answers: &RecordBatch, expected: &[Decision]) {
    let of = |name: &str| answers.column_by_name(name).unwrap();
    assert_eq!(answers.num_rows(), expected.len());
    for (i, decision) in expected.iter().enumerate() {
        let float = |name: &str| of(name).as_primitive::<Float64Type>().value(i).to_bits();
        assert_eq!(float("score"), decision.score.to_bits(), "{i}");
        assert_eq!(float("p_value"), decision.p_value.to_bits(), "{i}");
        assert_eq!(of("accepted").as_boolean().value(i), decision.accepted, "{i}");
        let region = of("region").as_primitive::<arrow_array::types::Int64Type>().value(i);
        assert_eq!(region as usize, decision.region, "{i}");
    }
}

/// Some distinct numbers.
fn value(i: usize, step: usize) -> f64 {
    ((i * step) % 97) as f64 / 16.0
}

fn numbers() -> (String, Arc<AnyModel>) {
    let rows: Vec<String> =
        (0..120).map(|i| format!("{},{},{}\n", value(i, 7), value(i, 31), i % 11)).collect();
    let text = format!("a,b,n\n{}", rows.concat());
    let model = fitted(&text, &ReadRequest::default());
    (text, model)
}

#[test]
fn columns_of_any_order_and_width_give_the_answers_of_a_file() {
    let (text, model) = numbers();
    let expected = by_file(&model, &text);
    let scorer = BatchScorer::new(model).unwrap();
    let a = floats((0..120).map(|i| value(i, 7)));
    let b: ArrayRef = Arc::new(Float32Array::from_iter_values((0..120).map(|i| value(i, 31) as f32)));
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values((0..120).map(|i| i % 11)));
    let key: ArrayRef = Arc::new(StringArray::from_iter_values((0..120).map(|i| format!("k{i}"))));
    let all = batch([("key", key), ("n", n), ("b", b), (" a ", a)]);
    let answers = scorer.score(&all, ScoreOptions::default()).unwrap();
    require_same(&answers, &expected);
    // In pieces of any size, including single rows, and on one thread.
    for size in [1, 7, 120] {
        for start in (0..120).step_by(size) {
            let count = size.min(120 - start);
            let some = on_this_thread(|| scorer.score(&all.slice(start, count), ScoreOptions::default()));
            require_same(&some.unwrap(), &expected[start..start + count]);
        }
    }
    assert_eq!(scorer.columns(), ["a", "b", "n"]);
    let empty = scorer.score(&all.slice(0, 0), ScoreOptions::default().reasons(true)).unwrap();
    assert_eq!((empty.num_rows(), empty.num_columns()), (0, 5));
}

/// The rows done and the rows in all of each report.
#[derive(Default)]
struct Reports(Mutex<Vec<(usize, usize)>>);

impl Observer for Reports {
    fn progress(&self, progress: &Progress<'_>) {
        if let Progress::Stage { name: "scoring", done, total } = progress {
            self.0.lock().unwrap().push((*done, *total));
        }
    }
}

#[test]
fn blocks_are_watched_and_explained_as_one_batch() {
    let (_, model) = numbers();
    let scorer = BatchScorer::new(model).unwrap();
    let far = |i: usize| value(i, 7) + if i % 40 == 39 { 900.0 } else { 0.0 };
    let all = batch([
        ("a", floats((0..120).map(far))),
        ("b", floats((0..120).map(|i| value(i, 31)))),
        ("n", floats((0..120).map(|i| f64::from(i % 11)))),
    ]);
    let (reports, options) = (Reports::default(), ScoreOptions::default().reasons(true));
    let whole = on_this_thread(|| scorer.score_watched(&all, options, &reports)).unwrap();
    let reports = reports.0.into_inner().unwrap();
    assert!(reports.is_sorted() && reports.iter().all(|report| report.1 == 120), "{reports:?}");
    assert_eq!(reports.last(), Some(&(120, 120)));
    for i in 0..120 {
        assert_eq!(whole.slice(i, 1), scorer.score(&all.slice(i, 1), options).unwrap(), "{i}");
    }
}

#[test]
fn a_scorer_is_shared_by_threads() {
    let (text, model) = numbers();
    let expected = by_file(&model, &text);
    let scorer = BatchScorer::new(model).unwrap();
    std::thread::scope(|scope| {
        for shift in 0..4 {
            let (scorer, expected) = (&scorer, &expected);
            scope.spawn(move || {
                for i in (shift..120).step_by(4) {
                    let of = |step| floats([value(i, step)]);
                    let columns = [("n", floats([(i % 11) as f64])), ("a", of(7)), ("b", of(31))];
                    // Several schemas at a time.
                    let mut columns = columns.to_vec();
                    columns.rotate_left(shift % 3);
                    let one = RecordBatch::try_from_iter(columns).unwrap();
                    require_same(&scorer.score(&one, ScoreOptions::default()).unwrap(), &expected[i..=i]);
                }
            });
        }
    });
}

#[test]
fn mixed_columns_dates_and_dictionaries_are_read_as_in_a_file() {
    let word = |i: usize| ["red", "green", "blue", "blue"][i % 4];
    let line = |i: usize| {
        format!("{},{},2024-03-{:02},{}\n", value(i, 13), word(i), 1 + (i * 5) % 28, i.is_multiple_of(3))
    };
    let text = format!("size,color,day,sold\n{}", (0..150).map(line).collect::<String>());
    let model = fitted(&text, &ReadRequest::default());
    let expected = by_file(&model, &text);
    let colors: DictionaryArray<arrow_array::types::Int32Type> = (0..150).map(word).collect();
    let days = (0..150).map(|i| 1_709_251_200_000 + ((i64::from(i) * 5) % 28) * 86_400_000);
    let all = batch([
        ("day", Arc::new(TimestampMillisecondArray::from_iter_values(days)) as ArrayRef),
        ("sold", Arc::new((0..150).map(|i| Some(i % 3 == 0)).collect::<arrow_array::BooleanArray>())),
        ("color", Arc::new(colors)),
        ("size", floats((0..150).map(|i| value(i, 13)))),
    ]);
    let scorer = BatchScorer::new(model).unwrap();
    require_same(&scorer.score(&all, ScoreOptions::default()).unwrap(), &expected);
    for i in [0, 77] {
        let one = scorer.score(&all.slice(i, 1), ScoreOptions::default()).unwrap();
        require_same(&one, &expected[i..=i]);
    }
}

/// Training samples of every kind of column, with gaps, and the model of them.
fn of_all_kinds() -> Arc<AnyModel> {
    let word = |i: usize| ["red", "green", "", "NA", "deep blue sea", "7", "07"][i * i % 7];
    let line = |i: usize| {
        let day = if i % 9 == 4 {
            String::new()
        } else {
            format!("20{:02}-03-{:02} {:02}:15", i % 30, 1 + i % 28, i % 24)
        };
        let number = if i % 13 == 6 { String::new() } else { value(i, 13).to_string() };
        let grade = ["low", "mid", "high"][i % 3];
        format!("{number},{},{},{day},{},{grade}\n", i % 17, word(i), i.is_multiple_of(3))
    };
    let text = format!("size,count,color,day,sold,grade\n{}", (0..150).map(line).collect::<String>());
    fitted(
        &text,
        &ReadRequest { types: vec![("color".into(), FieldType::Category)], ..ReadRequest::default() },
    )
}

#[test]
fn plain_mixed_columns_are_read_as_cell_by_cell() {
    let model = of_all_kinds();
    let scorer = BatchScorer::new(Arc::clone(&model)).unwrap();
    let mut r = Random::new(11);
    let (mut plain, mut refused) = (0, 0);
    for round in 0..120 {
        let n = [1, 2, 60, 300][round % 4];
        let has_nulls = round % 3 > 0;
        let mut null = |share: usize| has_nulls && r.below(share) == 0;
        let valid: Vec<[bool; 6]> = (0..n).map(|_| std::array::from_fn(|_| !null(5))).collect();
        let odd = [f64::NAN, f64::INFINITY, 1e200, 9.0][if round % 10 == 9 { r.below(4) } else { 3 }];
        let size = |i: usize| if i == n / 2 { odd } else { value(i, 13) };
        let words = ["red", " red ", "green", "NA", "", "7.0", "07", "deep blue sea", "deep blue see", "ü"];
        let color: Vec<Option<&str>> =
            (0..n).map(|i| Some(words[r.below(words.len())]).filter(|_| valid[i][0])).collect();
        let color: ArrayRef = match round % 3 {
            0 => Arc::new(color.into_iter().collect::<DictionaryArray<Int32Type>>()),
            1 => Arc::new(color.into_iter().collect::<StringArray>()),
            _ => Arc::new(color.into_iter().collect::<StringViewArray>()),
        };
        let instant = |i: usize, r: &mut Random| {
            let seconds = (r.normal() * 2e9) as i64;
            Some(seconds / if round % 2 == 0 { 1 } else { 86_400 } * 1_000_000).filter(|_| valid[i][1])
        };
        let days: Vec<Option<i64>> = (0..n).map(|i| instant(i, &mut r)).collect();
        let day: ArrayRef = if round % 2 == 0 {
            Arc::new(days.into_iter().collect::<TimestampMicrosecondArray>())
        } else {
            let days = days.into_iter().map(|day| day.map(|day| (day / 1_000_000) as i32));
            Arc::new(days.collect::<Date32Array>())
        };
        let some = |i: usize, c: usize| valid[i][c].then_some(i);
        let grade = (0..n).map(|i| some(i, 2).map(|i| ["low", "high", "none"][i % 3]));
        let counts = (0..n).map(|i| some(i, 3));
        let count: ArrayRef = if round % 5 == 0 {
            Arc::new(
                counts
                    .map(|i| i.map(|i| if round == 100 { i64::MAX } else { i64::try_from(i).unwrap() }))
                    .collect::<Int64Array>(),
            )
        } else {
            Arc::new(counts.map(|i| i.map(|i| i as u8)).collect::<arrow_array::UInt8Array>())
        };
        let sold = (0..n).map(|i| some(i, 4).map(|i| i % 2 == 0));
        let batch = batch([
            ("day", day),
            ("sold", Arc::new(sold.collect::<arrow_array::BooleanArray>())),
            ("grade", Arc::new(grade.collect::<LargeStringArray>())),
            ("count", count),
            ("color", color),
            ("size", Arc::new((0..n).map(|i| some(i, 5).map(size)).collect::<Float64Array>())),
        ]);
        let batch = batch.slice(n / 3, n - n / 3);
        let features = scorer.features(&batch).unwrap();
        let columns = features.mixed.as_ref().unwrap().columns(&batch, &features.places).unwrap();
        plain += usize::from(columns.block(0..batch.num_rows()).is_some());
        let score = || scorer.score(&batch, ScoreOptions::default());
        match scorer.samples(&batch) {
            Ok(samples) => {
                let expected = model.decide_with(&samples, model.params().scoring, &Silent).unwrap();
                require_same(&score().unwrap(), &expected);
            }
            Err(error) => {
                assert_eq!(score().unwrap_err().to_string(), error.to_string());
                refused += 1;
            }
        }
    }
    assert!(plain > 100 && refused > 2, "{plain} plain, {refused} refused");
}

#[test]
fn strings_and_series_find_their_column() {
    let words: Vec<String> = (0..60).map(|i| format!("word {} of {}", i * i % 37, i % 5)).collect();
    let lines: Vec<String> = (0..60).map(|i| format!("{i},{}\n", words[i])).collect();
    let text = format!("number,note\n{}", lines.concat());
    let request = ReadRequest { columns: vec!["note".into()], ..ReadRequest::default() };
    let model = fitted(&text, &request);
    let expected = model
        .decide_with(&eocc_core::Texts::new(words.clone()).unwrap().into(), model.params().scoring, &Silent)
        .unwrap();
    let scorer = BatchScorer::new(model).unwrap();
    let note: ArrayRef = Arc::new(StringArray::from(words));
    let number = || floats((0..60).map(f64::from));
    for all in [batch([("note", Arc::clone(&note))]), batch([("x", number()), ("other", Arc::clone(&note))])]
    {
        require_same(&scorer.score(&all, ScoreOptions::default()).unwrap(), &expected);
    }
    let two = batch([("p", Arc::clone(&note)), ("q", Arc::clone(&note))]);
    let error = scorer.score(&two, ScoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("columns p, q may hold"), "{error}");

    let series = |i: usize| (0..8).map(move |t| value(i + t, 11));
    let line = |i: usize| format!("\"{:?}\"\n", series(i).collect::<Vec<_>>());
    let text = format!("curve\n{}", (0..50).map(line).collect::<String>());
    let model = fitted(&text, &ReadRequest::default());
    let expected = by_file(&model, &text);
    let mut lists = ListBuilder::new(Float64Builder::new());
    (0..50).for_each(|i| lists.append_value(series(i).map(Some)));
    let scorer = BatchScorer::new(model).unwrap();
    let all = batch([("curve", Arc::new(lists.finish()) as ArrayRef)]);
    require_same(&scorer.score(&all, ScoreOptions::default()).unwrap(), &expected);
}

#[test]
fn what_is_missing_is_read_as_in_training() {
    let (text, _) = numbers();
    for missing in [None, Some(Missing::Impute), Some(Missing::Distance)] {
        let model = fitted(&text, &ReadRequest { missing, ..ReadRequest::default() });
        let expected = by_file(&model, "a,b,n\n1,2,3\n,2,3\n");
        let scorer = BatchScorer::new(model).unwrap();
        let a: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
        let all = batch([("a", a), ("b", floats([2.0, 2.0])), ("n", floats([3.0, 3.0]))]);
        require_same(&scorer.score(&all, ScoreOptions::default()).unwrap(), &expected);
    }
    let model = fitted(&text, &ReadRequest { missing: Some(Missing::Error), ..ReadRequest::default() });
    let expected = by_file(&model, "a,b,n\n1,2,3\n");
    let scorer = BatchScorer::new(model).unwrap();
    let a: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(1.0)]));
    let all = batch([("a", a), ("b", floats([2.0, 2.0])), ("n", floats([3.0, 3.0]))]);
    let error = scorer.score(&all, ScoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("row 0, column \"a\""), "{error}");
    // Or that row gets nulls.
    let options = ScoreOptions::default().skip_bad_rows(true).membership(true).reasons(true);
    let answers = scorer.score(&all, options).unwrap();
    assert!(answers.columns().iter().all(|column| column.is_null(0)));
    require_same(&answers.slice(1, 1), &expected);
}

#[test]
fn texts_are_read_as_numbers_in_the_notation_of_the_training() {
    let german = |i: usize| format!("{},5", i * 7 % 97);
    let rows = |word: &dyn Fn(usize) -> String| -> String {
        let row = |i: usize| [german(i), ";".into(), german(i * 3), word(i), "\n".into()].concat();
        (0..60).map(row).collect()
    };
    for (head, word) in [("a;b", None), ("a;b;c", Some(["red", "blue"]))] {
        let word = |i: usize| word.map_or_else(String::new, |words| format!(";{}", words[i % 2]));
        let text = format!("{head}\n{}", rows(&word));
        let options = ReadOptions { notation: Notation::new(Some(','), None).ok(), ..ReadOptions::default() };
        let request = ReadRequest { options, ..ReadRequest::default() };
        let table = read_bytes("t.csv", text.as_bytes(), &request.options).unwrap();
        let data = Dataset::of_table(&table, &request).unwrap();
        let params = OneClass::new(Preset::Default).check().unwrap();
        let measure = data.samples.measure(Preset::Default, None, &Settings::default()).unwrap();
        let mut model = data.samples.train(&params, measure, &Silent).unwrap();
        Reading::new(&request, &data).keep_in(&mut model);
        let expected = model.decide_with(&data.samples, model.params().scoring, &Silent).unwrap();
        let scorer = BatchScorer::new(Arc::new(model)).unwrap();
        let texts = |of: &dyn Fn(usize) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values((0..60).map(of)))
        };
        let mut columns = vec![("a", texts(&german)), ("b", texts(&|i| german(i * 3)))];
        if head.len() > 3 {
            columns.push(("c", texts(&|i| word(i)[1..].to_owned())));
        }
        let all = RecordBatch::try_from_iter(columns).unwrap();
        require_same(&scorer.score(&all, ScoreOptions::default()).unwrap(), &expected);
        // Floats have no notation.
        let first = floats([0.5]);
        let mut columns = vec![("a", Arc::clone(&first)), ("b", first)];
        if head.len() > 3 {
            columns.push(("c", Arc::new(StringArray::from(vec!["red"]))));
        }
        let one = RecordBatch::try_from_iter(columns).unwrap();
        require_same(&scorer.score(&one, ScoreOptions::default()).unwrap(), &expected[..1]);
    }
}

#[test]
fn rejected_rows_have_reasons() {
    let (_, model) = numbers();
    let scorer = BatchScorer::new(model).unwrap();
    let all = batch([("a", floats([3.0, 900.0])), ("b", floats([2.0, 2.0])), ("n", floats([3.0, 3.0]))]);
    let options = ScoreOptions::default().membership(true).reasons(true);
    let answers = scorer.score(&all, options).unwrap();
    assert_eq!(answers.schema(), BatchScorer::schema(options));
    let accepted = answers.column_by_name("accepted").unwrap().as_boolean();
    assert_eq!((accepted.value(0), accepted.value(1)), (true, false));
    let reasons = answers.column_by_name("reasons").unwrap().as_string::<i32>();
    assert!(reasons.is_null(0) && reasons.value(1) == "a 100 %", "{reasons:?}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let (_, model) = numbers();
    let scorer = BatchScorer::new(model).unwrap();
    let error = |columns: Vec<(&str, ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        scorer.score(&batch, ScoreOptions::default()).unwrap_err().to_string()
    };
    let found = error(vec![("a", floats([1.0])), ("bb", floats([1.0])), ("n", floats([1.0]))]);
    assert!(found.contains("no column \"b\"") && found.contains("bb"), "{found}");
    let long: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX]));
    let found = error(vec![("a", floats([1.0])), ("b", long), ("n", floats([1.0]))]);
    assert!(found.contains("9223372036854775807"), "{found}");
    let found = error(vec![("a", floats([1.0])), ("b", floats([f64::INFINITY])), ("n", floats([1.0]))]);
    assert!(found.contains("infinite"), "{found}");
    let words: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let found = error(vec![("a", floats([1.0])), ("b", words), ("n", floats([1.0]))]);
    assert!(found.contains("not a number"), "{found}");
}
