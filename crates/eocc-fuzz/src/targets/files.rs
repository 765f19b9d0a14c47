//! Data files: each is read, and all of the result is used.

pub(super) mod seeds;

use eocc_data::{
    Cells, Column, Dataset, Format, GraphSet, ModelReader, ReadOptions, ReadRequest, Table, Values,
    read_bytes, read_graph_bytes, typed,
};

/// Reads a table in this format, and uses all of it.
fn table(format: Format, bytes: &[u8]) -> bool {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let Ok(table) = read_bytes("input", bytes, &options) else { return false };
    ask(&table);
    // Including the types of its columns, which is how it is used.
    let _ = typed(&table, &[]);
    true
}

fn ask(table: &Table) {
    assert!(table.rows() > 0 && table.width() > 0, "a table without cells");
    // For a table with very many columns, some of them.
    for column in (0..table.width()).take(64) {
        assert_eq!(table.text(column).count(), table.rows(), "a column of another length");
        if let Ok(numbers) = table.numbers(&[column]) {
            assert!(numbers.iter().all(|number| number.is_finite()), "a number that is not finite");
        }
    }
}

fn graphs(name: &str, bytes: &[u8]) -> bool {
    read_graph_bytes(name, bytes).is_ok_and(|GraphSet { graphs, classes, .. }| {
        assert_eq!(graphs.graphs().len(), classes.len(), "a graph without a class");
        true
    })
}

pub(super) fn csv(bytes: &[u8]) -> bool {
    table(Format::Csv, bytes)
}

pub(super) fn jsonl(bytes: &[u8]) -> bool {
    table(Format::JsonLines, bytes)
}

pub(super) fn npy(bytes: &[u8]) -> bool {
    table(Format::Npy, bytes)
}

pub(super) fn npz(bytes: &[u8]) -> bool {
    table(Format::Npz, bytes)
}

pub(super) fn parquet(bytes: &[u8]) -> bool {
    table(Format::Parquet, bytes)
}

pub(super) fn arrow(bytes: &[u8]) -> bool {
    table(Format::Arrow, bytes)
}

pub(super) fn fasta(bytes: &[u8]) -> bool {
    let is_fastq = table(Format::Fastq, bytes);
    table(Format::Fasta, bytes) || is_fastq
}

pub(super) fn ts(bytes: &[u8]) -> bool {
    table(Format::Ts, bytes)
}

pub(super) fn lines(bytes: &[u8]) -> bool {
    table(Format::Lines, bytes)
}

/// Compressed files in any format.
pub(super) fn packed(bytes: &[u8]) -> bool {
    read_bytes("input.csv.gz", bytes, &ReadOptions::default()).is_ok()
}

/// Without a given format.
pub(super) fn guessed(bytes: &[u8]) -> bool {
    read_bytes("input", bytes, &ReadOptions::default()).is_ok_and(|table| typed(&table, &[]).is_ok())
}

pub(super) fn gxl(bytes: &[u8]) -> bool {
    graphs("input.gxl", bytes)
}

pub(super) fn graphml(bytes: &[u8]) -> bool {
    graphs("input.graphml", bytes)
}

pub(super) fn json_graph(bytes: &[u8]) -> bool {
    graphs("input.json", bytes)
}

pub(super) fn archive(bytes: &[u8]) -> bool {
    graphs("input.tar", bytes)
}

/// The columns of a data frame, as passed by the bindings: one column per line, with a kind given by its first byte.
pub(super) fn columns(bytes: &[u8]) -> bool {
    let number = |cell: &[u8]| {
        let mut bits = [0; 8];
        bits.iter_mut().zip(cell).for_each(|(bit, byte)| *bit = *byte);
        f64::from_le_bytes(bits)
    };
    let text = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    let column = |(at, line): (usize, &[u8])| {
        let cells = line.split(|byte| *byte == b',');
        let name = format!("{}{at}", text(&line[..line.len().min(3)]));
        match line.first().map_or(0, |byte| byte % 6) {
            0 => Column::numbers_or_nan(name, cells.map(number).collect()),
            1 => {
                let values = cells.map(|cell| number(cell).to_bits().cast_signed()).collect();
                Column::new(name, Values::Integer(values))
            }
            2 => Column::moments_or_nan(name, cells.map(number).collect()),
            3 => {
                let truths: Vec<Option<bool>> =
                    cells.map(|cell| cell.first().map(|byte| byte % 2 == 0)).collect();
                Column::truths_or_missing(name, &truths)
            }
            4 => {
                let texts = cells.map(|cell| (!cell.is_empty()).then(|| text(cell)));
                Column::new(name, Values::Cells(Cells::texts_or_missing(texts)))
            }
            _ => Column::new(name, Values::Cells(Cells::raw(cells.map(text)))),
        }
    };
    let columns: Vec<_> = bytes.split(|byte| *byte == b'\n').enumerate().map(column).collect();
    let Ok(frame) = Table::of_columns("input", columns, true) else { return false };
    let Ok(data) = Dataset::of_table(&frame, &ReadRequest::default()) else { return false };
    for skip_bad_rows in [false, true] {
        let request = ReadRequest { skip_bad_rows, ..ReadRequest::default() };
        let again = ModelReader::new(data.samples.layout(), request).read(&frame);
        let is_whole = |read: eocc_data::RowsRead| {
            read.data.map_or(0, |data| data.count()) + read.bad.len() == frame.rows()
        };
        assert!(again.is_err() || again.is_ok_and(is_whole), "rows are lost");
    }
    true
}
