use std::fmt::Write as _;

use super::parts::BATCH_ROWS;
use super::*;
use crate::read_fields::read_content;

/// Text of several batches: a key, two numbers, and a text with quotes, delimiters and line ends in it; some blank lines.
fn long_text(rows: usize) -> String {
    let mut text = String::from("key,a,b,note\n");
    for i in 0..rows {
        let note = match i % 5 {
            0 => "plain".to_owned(),
            1 => "\"with, comma\"".to_owned(),
            2 => "\"two\nlines\"".to_owned(),
            3 => "\"a \"\"quote\"\"\"".to_owned(),
            _ => String::new(),
        };
        let _ = writeln!(text, "k{i:06},{},{}.5,{note}", i * 7919 % 1000, i % 97);
        if i % 1000 == 0 {
            text.push('\n');
        }
    }
    text
}

fn all(batches: &mut Batches) -> Vec<Batch> {
    std::iter::from_fn(|| batches.next().unwrap()).collect()
}

/// The rows and lines of the batches, put together, are those of the file read whole.
#[test]
fn batches_together_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for (name, text) in
        [("a.csv", long_text(250_000)), ("b.csv", long_text(3)), ("c.csv", "a,b\n1,2".to_owned())]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        let Content::Table(whole) = read_content(&path, &options).unwrap() else { panic!("no table") };
        let batches = all(&mut Batches::open(&path, &ReadRequest::default()).unwrap());
        assert_eq!(batches.len() > 2, name == "a.csv");
        let mut row = 0;
        for batch in &batches {
            assert_eq!(batch.rows().start, row);
            let Part::Text { name, options, header, .. } = &batch.part else { panic!("no text") };
            let bytes = [header.as_slice(), batch.text().unwrap().1].concat();
            let Content::Table(part) = content(name, &bytes, options).unwrap() else { panic!("no table") };
            assert_eq!(part.rows(), batch.rows().len());
            assert_eq!(batch.line(), whole.line(row));
            for i in 0..part.rows() {
                for column in 0..whole.names().len() {
                    assert_eq!(part.cell(i, column), whole.cell(row + i, column));
                }
            }
            row += part.rows();
        }
        assert_eq!(row, whole.rows());
    }
}

#[test]
fn faults_tell_their_place_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut text = String::from("a,b\n");
    for i in 0..200_000 {
        let _ = writeln!(text, "{i},1");
    }
    text.push_str("7,oops\n8,1\n");
    std::fs::write(&path, &text).unwrap();
    let layout = Layout::Numbers(vec!["a".into(), "b".into()]);
    let request = ReadRequest::default();
    let batches = all(&mut Batches::open(&path, &request).unwrap());
    let faults: Vec<String> = batches
        .iter()
        .filter_map(|batch| batch.read_for_model(&layout, &request).err())
        .map(|error| error.to_string())
        .collect();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].contains("row 200000 (line 200002), column \"b\": \"oops\""), "{}", faults[0]);
    // Divided, the fault stays with its row.
    let bad = batches.iter().find(|batch| batch.read_for_model(&layout, &request).is_err()).unwrap();
    let mut part = bad.clone();
    while let Some(halves) = part.halves() {
        part = halves.into_iter().find(|half| half.read_for_model(&layout, &request).is_err()).unwrap();
    }
    assert_eq!((part.rows(), part.text().unwrap().1), (200_000..200_001, &b"7,oops\n"[..]));
    std::fs::write(&path, text.replace("7,oops", "7,1,2")).unwrap();
    let batches = all(&mut Batches::open(&path, &request).unwrap());
    let fault = batches.iter().find_map(|batch| batch.read_for_model(&layout, &request).err()).unwrap();
    assert!(fault.to_string().contains("line 200002 has 3 cell(s)"), "{fault}");
}

#[test]
fn other_formats_come_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let count = BATCH_ROWS + 5;
    crate::write::write_npy(&path, count, 1, &(0..count).map(|i| i as f64).collect::<Vec<_>>()).unwrap();
    let request = ReadRequest::default();
    let batches = all(&mut Batches::open(&path, &request).unwrap());
    let read = |batch: &Batch| batch.read_for_model(&Layout::Numbers(Vec::new()), &request).unwrap();
    assert_eq!(batches.iter().map(|b| read(b).count()).collect::<Vec<_>>(), [BATCH_ROWS, 5]);
    assert_eq!(read(&batches[1]).samples.feature(0).unwrap().1[0], Some(BATCH_ROWS as f64));
    for (name, text, rows) in
        [("s.fa", ">p\nAC\n>q\nDE\n", 2), ("t.jsonl", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}", 3)]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
        let batches = all(&mut Batches::open(&folder.path().join(name), &request).unwrap());
        assert_eq!(batches.iter().map(|b| b.rows().len()).sum::<usize>(), rows);
    }
}

/// A Parquet file of groups with so many rows: a key, a number, and an integer that the second group with rows lacks.
#[cfg(feature = "parquet")]
fn groups(path: &Path, sizes: &[usize]) {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let schema = "message table {
        required binary key (UTF8);
        required double a;
        optional int64 n;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let mut file = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut row = 0;
    for (number, &size) in sizes.iter().enumerate() {
        let rows = row..row + size;
        row = rows.end;
        let mut group = file.next_row_group().unwrap();
        let keys: Vec<ByteArray> =
            rows.clone().map(|i| ByteArray::from(format!("k{i:06}").into_bytes())).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&keys, None, None).unwrap();
        column.close().unwrap();
        let numbers: Vec<f64> = rows.clone().map(|i| (i * 7919 % 1000) as f64 + 0.5).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&numbers, None, None).unwrap();
        column.close().unwrap();
        let is_there = |i: &usize| number != 1 && i % 10 != 3;
        let levels: Vec<i16> = rows.clone().map(|i| i16::from(is_there(&i))).collect();
        let integers: Vec<i64> = rows.filter(is_there).map(|i| i64::try_from(i).unwrap()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&integers, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    file.close().unwrap();
}

#[cfg(feature = "parquet")]
#[test]
fn row_groups_together_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let request = ReadRequest::default();
    // Small groups are read together, and large ones by themselves.
    let large = 40_000;
    for (sizes, count) in [
        (vec![5], 1),
        (vec![3, 2, 1, 4], 1),
        (vec![large, large, large], 3),
        (vec![2, 0, large, 0, large, 1, 0, 1], 3),
        (vec![large, large, 0], 2),
    ] {
        groups(&path, &sizes);
        let Content::Table(whole) = read_content(&path, &request.options).unwrap() else {
            panic!("no table")
        };
        let mut batches = Batches::open(&path, &request).unwrap();
        assert!(!batches.is_text());
        let batches = all(&mut batches);
        assert_eq!(batches.len(), count, "{sizes:?}");
        let mut row = 0;
        for batch in &batches {
            assert_eq!(batch.rows().start, row);
            let halves = batch.halves().map_or_else(|| vec![batch.clone()], |halves| halves.to_vec());
            for half in halves {
                let Part::Table { content, first } = &half.part else { panic!("no table") };
                let Content::Table(part) = content.part(half.rows_after(*first)) else { panic!("no table") };
                assert_eq!((part.names(), part.rows()), (whole.names(), half.rows().len()));
                for i in 0..part.rows() {
                    assert_eq!(part.place(i), whole.place(row));
                    for column in 0..whole.names().len() {
                        assert_eq!(part.cell(i, column), whole.cell(row, column));
                    }
                    row += 1;
                }
            }
        }
        assert_eq!(row, whole.rows());
    }
    // Without rows, it is refused as it is when it is read whole.
    groups(&path, &[0, 0]);
    let expected = read_content(&path, &request.options).unwrap_err().to_string();
    assert_eq!(Batches::open(&path, &request).unwrap().next().unwrap_err().to_string(), expected);
}

/// What does not fit into memory as a whole is read group by group, within the same budget.
#[cfg(feature = "parquet")]
#[test]
fn the_budget_is_for_a_row_group() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let large = 40_000;
    groups(&path, &[large; 6]);
    let size = std::fs::metadata(&path).unwrap().len();
    let budget = crate::budget::Budget::of_bytes(size + (2 << 20));
    let options = ReadOptions { budget, ..ReadOptions::default() };
    assert!(read_content(&path, &options).unwrap_err().is_memory());
    let request = ReadRequest { options, ..ReadRequest::default() };
    let batches = all(&mut Batches::open(&path, &request).unwrap());
    assert_eq!(batches.iter().map(|batch| batch.rows().len()).collect::<Vec<_>>(), [large; 6]);
    let budget = crate::budget::Budget::of_bytes(size + (1 << 20));
    let request = ReadRequest { options: ReadOptions { budget, ..ReadOptions::default() }, ..request };
    let mut batches = Batches::open(&path, &request).unwrap();
    assert!(batches.next().unwrap_err().is_memory());
    assert!(batches.next().unwrap().is_none());
}

/// A column that is carried along has one type in all batches, also where it has no values.
#[cfg(feature = "parquet")]
#[test]
fn row_groups_agree_on_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    groups(&path, &[40_000; 3]);
    let request = ReadRequest { keep: vec!["n".into()], ..ReadRequest::default() };
    let layout = Layout::Numbers(vec!["a".into()]);
    let mut kept: Option<crate::OutColumn> = None;
    for batch in all(&mut Batches::open(&path, &request).unwrap()) {
        let data = batch.read_for_model(&layout, &request).unwrap();
        match &mut kept {
            None => kept = Some(data.kept[0].clone()),
            Some(kept) => assert!(kept.extend(&data.kept[0])),
        }
    }
    let kept = kept.unwrap();
    let crate::OutValues::Integer(values) = &kept.values else { panic!("no integers") };
    assert_eq!((values[5], kept.missing[5], values[80_000]), (5, false, 80_000));
    assert!(kept.missing[3] && kept.missing[40_000..80_000].iter().all(|missing| *missing));
    assert_eq!(kept.select(&[5, 3]).missing, [false, true]);
    assert_eq!(kept.select(&[3, 5]).with_gaps(&[1]).missing, [true, true, false]);
}
