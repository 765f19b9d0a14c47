use std::fmt::Write as _;

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
