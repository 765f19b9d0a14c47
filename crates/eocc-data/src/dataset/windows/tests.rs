use eocc_core::{Layout, SeriesSet, Vectors};

use super::*;
use crate::dataset::{Dataset, ModelReader, RowsRead};
use crate::read::{ReadOptions, read_bytes};

fn series(rows: usize) -> String {
    let line =
        |row: usize| format!("2024-01-01 {:02}:{:02}:00,{row},{}\n", row / 60, row % 60, row * row % 7);
    format!("timestamp,temp,load\n{}", (0..rows).map(line).collect::<Vec<_>>().concat())
}

fn table(text: &str) -> Table {
    read_bytes("long.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn request(length: usize, step: usize, shape: WindowShape) -> ReadRequest {
    ReadRequest { windows: Windows::new(length, Some(step), shape).ok(), ..ReadRequest::default() }
}

#[test]
fn windows_are_series_with_their_times() {
    let data = Dataset::of_table(&table(&series(10)), &request(4, 3, WindowShape::Series)).unwrap();
    let set = data.samples.downcast_ref::<SeriesSet>().unwrap();
    let firsts: Vec<f64> = eocc_core::SampleSet::refs(set).iter().map(|s| s.values()[0]).collect();
    assert_eq!((data.count(), set.channels(), firsts), (3, 2, vec![0.0, 3.0, 6.0]));
    let kept: Vec<(String, String, String)> = (0..3)
        .map(|i| {
            (data.kept[0].name.clone(), data.kept[0].text(i).into_owned(), data.kept[1].text(i).into_owned())
        })
        .collect();
    assert_eq!(kept[1], ("start".into(), "2024-01-01 00:03:00".into(), "2024-01-01 00:06:00".into()));
    assert_eq!((data.row(2), data.name(2).as_str()), (6, "2024-01-01 00:06:00"));
}

#[test]
fn batches_give_the_windows_of_the_whole() {
    let whole = table(&series(53));
    for (length, step) in [(4, 1), (4, 3), (4, 4), (3, 7), (10, 2)] {
        for shape in [WindowShape::Series, WindowShape::Summary, WindowShape::Lags] {
            let request = request(length, step, shape);
            let data = Dataset::of_table(&whole, &request).unwrap();
            let layout = data.samples.layout();
            for cut in [1, 2, 5, 20, 60] {
                let mut reader = ModelReader::new(layout.clone(), request.clone());
                let (mut rows, mut ends, mut contents) = (Vec::new(), Vec::new(), Vec::new());
                for start in (0..53).step_by(cut) {
                    let part = whole.part(start..53.min(start + cut));
                    let RowsRead { data, bad } = reader.read(&part).unwrap();
                    assert!(bad.is_empty());
                    let Some(data) = data else { continue };
                    rows.extend((0..data.count()).map(|i| data.row(i)));
                    ends.extend((0..data.count()).map(|i| data.kept[1].text(i).into_owned()));
                    contents.extend(
                        (0..data.count()).map(|i| data.samples.select(&[i]).to_contents().to_bytes()),
                    );
                }
                let want: Vec<usize> = (0..data.count()).map(|i| data.row(i)).collect();
                assert_eq!(rows, want, "{length} {step} {cut}");
                assert!(ends.iter().zip(0..).all(|(end, i)| *end == data.kept[1].text(i)));
                let all = (0..data.count()).map(|i| data.samples.select(&[i]).to_contents().to_bytes());
                assert_eq!(contents, all.collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn summaries_and_lags_are_rows_of_numbers() {
    let summed = Dataset::of_table(&table(&series(20)), &request(5, 5, WindowShape::Summary)).unwrap();
    let Layout::Numbers(names) = summed.samples.layout() else { panic!("no numbers") };
    assert_eq!((names.len(), names[0].as_str(), names[12].as_str()), (13, "temp mean", "temp with load"));
    let lagged = Dataset::of_table(&table(&series(20)), &request(3, 1, WindowShape::Lags)).unwrap();
    let vectors = lagged.samples.downcast_ref::<Vectors>().unwrap();
    assert_eq!(vectors.matrix().row(1), [1.0, 1.0, 2.0, 4.0, 3.0, 2.0]);
}

#[test]
fn windows_with_gaps_are_left_out_or_bad() {
    let text = series(12).replace("00:04:00,4,", "00:04:00,,");
    let request = request(3, 3, WindowShape::Series);
    let data = Dataset::of_table(&table(&text), &request).unwrap();
    assert_eq!((0..data.count()).map(|i| data.row(i)).collect::<Vec<_>>(), [0, 6, 9]);
    assert!(data.notes.contains(&Note::WindowsLeftOut { count: 1, of: 4 }));
    let skipping = ReadRequest { skip_bad_rows: true, ..request.clone() };
    let RowsRead { data, bad } = ModelReader::new(Layout::Series, skipping).read(&table(&text)).unwrap();
    assert_eq!((data.unwrap().count(), bad.len(), bad[0].row), (3, 1, 3));
    assert!(ModelReader::new(Layout::Series, request).read(&table(&text)).is_err());
}

#[test]
fn classes_of_windows_are_those_of_all_rows() {
    let text = "value,class\n1,a\n2,a\n3,a\n4,b\n5,b\n6,b\n";
    let request = ReadRequest { label: Some("class".into()), ..request(2, 2, WindowShape::Summary) };
    let data = Dataset::of_table(&table(text), &request).unwrap();
    assert_eq!(data.classes, Some(vec!["a".into(), "a+b".into(), "b".into()]));
    // Without a time, rows are given.
    assert_eq!((data.kept[0].text(1), data.kept[1].text(1)), ("2".into(), "3".into()));
}

#[test]
fn what_cannot_be_cut_is_said() {
    let message =
        |text: &str, request: &ReadRequest| Dataset::of_table(&table(text), request).unwrap_err().to_string();
    let text = message(&series(5), &request(9, 1, WindowShape::Series));
    assert!(text.ends_with("the series has 5 rows, but a window has 9; choose a shorter one"), "{text}");
    let text = message("time,host\n1,a\n2,b\n3,c\n", &request(2, 1, WindowShape::Series));
    assert!(text.contains("\"host\""), "{text}");
    let text = message("time\n1\n2\n3\n", &request(2, 1, WindowShape::Series));
    assert!(text.contains("no column is left for the channels"), "{text}");
    assert!(Windows::new(1, None, WindowShape::Series).is_err());
    assert!(Windows::new(9, Some(0), WindowShape::Series).is_err());
}
