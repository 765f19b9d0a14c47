use std::fmt::Write as _;

use super::parts::BATCH_ROWS;
use super::*;
#[cfg(feature = "columnar")]
use crate::column::{Column, Values};
use crate::read::read;
use eocc_core::Layout;

/// Text for several batches: a key, two numbers, and a text with quotes, delimiters and line ends in it; some blank
/// lines.
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

fn table_of(batch: &Batch) -> &Table {
    let Part::Rows { table: Some(table), .. } = &batch.part else { panic!("no table") };
    table
}

fn reader(layout: &Layout, skip_bad_rows: bool) -> ModelReader {
    ModelReader::new(layout.clone(), ReadRequest { skip_bad_rows, ..ReadRequest::default() })
}

fn all(batches: &mut Batches) -> Vec<Batch> {
    std::iter::from_fn(|| batches.next().unwrap()).collect()
}

/// The rows and lines of all batches equal those of the whole file.
#[test]
fn batches_together_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for (name, text) in
        [("a.csv", long_text(250_000)), ("b.csv", long_text(3)), ("c.csv", "a,b\n1,2".to_owned())]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        let whole = read(&path, &options).unwrap();
        let batches = all(&mut Batches::open(&path, &ReadRequest::default()).unwrap());
        assert_eq!(batches.len() > 2, name == "a.csv");
        let mut row = 0;
        for batch in &batches {
            assert_eq!(batch.rows().start, row);
            let part = table_of(batch);
            assert_eq!(part.rows(), batch.rows().len());
            for i in 0..part.rows() {
                for column in 0..whole.width() {
                    assert_eq!(part.cell(i, column), whole.cell(row + i, column));
                }
                assert_eq!(part.location(i), whole.location(row + i));
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
    let faults = |text: &str| -> Vec<String> {
        std::fs::write(&path, text).unwrap();
        let mut batches = all(&mut Batches::open(&path, &request).unwrap());
        assert!(batches.len() > 1);
        let read =
            |batch: &mut Batch| batch.read(&mut reader(&layout, false)).err().map(|error| error.to_string());
        batches.iter_mut().filter_map(read).collect()
    };
    let found = faults(&text);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("row 200000 (line 200002), column \"b\": \"oops\""), "{}", found[0]);
    let found = faults(&text.replace("7,oops", "7,1,2"));
    assert!(found[0].contains("line 200002 has 3 cells, but"), "{}", found[0]);
}

/// Bad rows of every format are reported by number, and the others are read.
#[test]
fn bad_rows_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = Layout::Numbers(vec!["a".into(), "b".into()]);
    let words = Layout::Text;
    let tiny = "a,b\n1,2\n3\n5,oops\n7,8\n9,é\n,1\n";
    for (name, text, layout, expected) in [
        ("a.csv", tiny.as_bytes().to_vec(), &numbers, vec![1, 2, 4, 5]),
        ("b.jsonl", b"{\"a\":1,\"b\":2}\n{\"a\":}\n\n{\"a\":1,\"b\":\"x\"}\n{\"b\":2,\"a\":5}\n{\"a\":1,\"b\":\xff}\n".to_vec(), &numbers, vec![1, 2, 4]),
        ("c.fa", b">p\nAC\n>q\nA1\n>r\n>s\nA\xff\n>t\nGG\n".to_vec(), &words, vec![1, 2, 3]),
        ("d.txt", b"one word\n#no\ntwo \xff\n\nthree\n".to_vec(), &words, vec![1]),
    ] {
        let text = text.iter().map(|byte| if *byte == 0xc3 { 0xff } else { *byte }).collect::<Vec<u8>>();
        let path = folder.path().join(name);
        std::fs::write(&path, &text).unwrap();
        let options = ReadOptions {
            comment: (name == "d.txt").then_some(b'#'),
            format: (name == "d.txt").then_some(Format::Lines),
            ..ReadOptions::default()
        };
        let request = ReadRequest { options, skip_bad_rows: true, ..ReadRequest::default() };
        let mut batches = all(&mut Batches::open(&path, &request).unwrap());
        assert_eq!(batches.len(), 1);
        let count = batches[0].rows().len();
        let RowsRead { data, bad } = batches[0].read(&mut ModelReader::new(layout.clone(), request)).unwrap();
        assert_eq!(bad.iter().map(|bad| bad.row).collect::<Vec<_>>(), expected, "{name}");
        let data = data.unwrap();
        let good: Vec<usize> = (0..count).filter(|row| !expected.contains(row)).collect();
        assert_eq!((0..data.count()).map(|i| data.row(i)).collect::<Vec<_>>(), good, "{name}");
        for bad in &bad {
            assert!(batches[0].text_of(bad.row).is_some());
        }
    }
}

#[test]
fn other_formats_come_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let count = BATCH_ROWS + 5;
    crate::write::write_npy(&path, count, 1, &(0..count).map(|i| i as f64).collect::<Vec<_>>()).unwrap();
    let request = ReadRequest::default();
    let batches = all(&mut Batches::open(&path, &request).unwrap());
    let mut reader = reader(&Layout::Numbers(Vec::new()), false);
    let data: Vec<Dataset> =
        batches.into_iter().map(|mut batch| batch.read(&mut reader).unwrap().data.unwrap()).collect();
    assert_eq!(data.iter().map(Dataset::count).collect::<Vec<_>>(), [BATCH_ROWS, 5]);
    assert_eq!(data[1].samples.feature(0).unwrap().1[0], Some(BATCH_ROWS as f64));
    assert_eq!(data[1].row(0), BATCH_ROWS);
    for (name, text, rows) in
        [("s.fa", ">p\nAC\n>q\nDE\n", 2), ("t.jsonl", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}", 3)]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
        let batches = all(&mut Batches::open(&folder.path().join(name), &request).unwrap());
        assert_eq!(batches.iter().map(|b| b.rows().len()).sum::<usize>(), rows);
    }
}

/// A Parquet file with groups of these sizes: a key, a number, and an integer that is missing in the second group
/// with rows.
#[cfg(feature = "columnar")]
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

#[cfg(feature = "columnar")]
#[test]
fn row_groups_together_are_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let request = ReadRequest::default();
    // Small groups are read together, large ones individually.
    let large = 40_000;
    for (sizes, count) in [
        (vec![5], 1),
        (vec![3, 2, 1, 4], 1),
        (vec![large, large, large], 3),
        (vec![2, 0, large, 0, large, 1, 0, 1], 3),
        (vec![large, large, 0], 2),
    ] {
        groups(&path, &sizes);
        let whole = read(&path, &request.options).unwrap();
        let mut batches = Batches::open(&path, &request).unwrap();
        assert!(!batches.is_text());
        let batches = all(&mut batches);
        assert_eq!(batches.len(), count, "{sizes:?}");
        let mut row = 0;
        for batch in &batches {
            assert_eq!(batch.rows().start, row);
            let part = table_of(batch);
            assert_eq!((part.names(), part.rows()), (whole.names(), batch.rows().len()));
            for i in 0..part.rows() {
                assert_eq!(part.location(i), whole.location(row));
                for column in 0..whole.width() {
                    assert_eq!(part.cell(i, column), whole.cell(row, column));
                }
                row += 1;
            }
        }
        assert_eq!(row, whole.rows());
    }
    // Without rows, it is refused just like a whole file.
    groups(&path, &[0, 0]);
    let expected = read(&path, &request.options).unwrap_err().to_string();
    assert_eq!(Batches::open(&path, &request).unwrap().next().unwrap_err().to_string(), expected);
}

/// A file too large for memory is read group by group, within the same budget.
#[cfg(feature = "columnar")]
#[test]
fn the_budget_is_for_a_row_group() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let large = 40_000;
    groups(&path, &[large; 6]);
    let size = std::fs::metadata(&path).unwrap().len();
    let budget = crate::budget::Budget::of_bytes(size + (2 << 20));
    let options = ReadOptions { budget, ..ReadOptions::default() };
    assert!(read(&path, &options).unwrap_err().is_memory());
    let request = ReadRequest { options, ..ReadRequest::default() };
    let batches = all(&mut Batches::open(&path, &request).unwrap());
    assert_eq!(batches.iter().map(|batch| batch.rows().len()).collect::<Vec<_>>(), [large; 6]);
    let budget = crate::budget::Budget::of_bytes(size + (1 << 20));
    let request = ReadRequest { options: ReadOptions { budget, ..ReadOptions::default() }, ..request };
    let mut batches = Batches::open(&path, &request).unwrap();
    assert!(batches.next().unwrap_err().is_memory());
    assert!(batches.next().unwrap().is_none());
}

/// A column that is carried along has the same type in all batches, even in those without values.
#[cfg(feature = "columnar")]
#[test]
fn row_groups_agree_on_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    groups(&path, &[40_000; 3]);
    let request = ReadRequest { keep: vec!["n".into()], ..ReadRequest::default() };
    let layout = Layout::Numbers(vec!["a".into()]);
    let mut kept: Option<Column> = None;
    let mut reader = ModelReader::new(layout, request.clone());
    for mut batch in all(&mut Batches::open(&path, &request).unwrap()) {
        let data = batch.read(&mut reader).unwrap().data.unwrap();
        match &mut kept {
            None => kept = Some(data.kept[0].clone()),
            Some(kept) => kept.append(&data.kept[0]).unwrap(),
        }
    }
    let kept = kept.unwrap();
    let Values::Integer(values) = kept.values() else { panic!("no integers") };
    let gaps = |column: &Column| (0..column.len()).map(|row| column.is_gap(row)).collect::<Vec<_>>();
    assert_eq!((values[5], kept.is_gap(5), values[80_000]), (5, false, 80_000));
    assert!(kept.is_gap(3) && (40_000..80_000).all(|row| kept.is_gap(row)));
    assert_eq!(gaps(&kept.pick(&[5, 3])), [false, true]);
    assert_eq!(gaps(&kept.pick(&[3, 5]).with_gaps(&[(1, Some("x"))])), [true, true, false]);
}
