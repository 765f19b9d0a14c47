use std::io::Write as _;

use super::*;
use crate::budget::Budget;
use crate::npy::tests::npy;

fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    super::read(name, bytes, Budget::default().meter(Some(bytes.len() as u64)))
}

fn npz(arrays: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn stored(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    npz(arrays, zip::CompressionMethod::Stored)
}

fn message(bytes: &[u8]) -> String {
    read("a.npz", bytes).unwrap_err().to_string()
}

fn matrix() -> Vec<u8> {
    npy("|u1", false, "(2, 2)", &[1, 2, 3, 4])
}

#[test]
fn samples_and_labels() {
    let arrays = [("y.npy", npy("<i4", false, "(2,)", &[7, 0, 0, 0, 8, 0, 0, 0])), ("X.npy", matrix())];
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let table = read("a.npz", &npz(&arrays, method)).unwrap();
        assert_eq!(table.names(), ["x0", "x1", "y"]);
        assert_eq!(table.numbers(&[0, 1, 2]).unwrap(), [1.0, 2.0, 7.0, 3.0, 4.0, 8.0]);
        assert_eq!(table.matching(2, "8").unwrap(), [1]);
    }
}

#[test]
fn columns_without_a_matrix() {
    let one = |value| npy("|u1", false, "(1,)", &[value]);
    let table = read("a.npz", &stored(&[("a.npy", one(1)), ("b.npy", one(2))])).unwrap();
    assert_eq!(table.names(), ["a", "b"]);
    let uneven = stored(&[("a.npy", one(1)), ("b.npy", npy("|u1", false, "(2,)", &[1, 2]))]);
    assert!(message(&uneven).contains("save arrays of equal length"));
}

#[test]
fn the_matrix_is_chosen_by_name_or_shape() {
    let column = npy("|u1", false, "(2, 1)", &[5, 6]);
    let table = read("a.npz", &stored(&[("y.npy", column.clone()), ("samples.npy", matrix())])).unwrap();
    assert_eq!(table.names(), ["x0", "x1", "y"]);
    let several = stored(&[("a.npy", matrix()), ("b.npy", matrix())]);
    assert!(message(&several).contains("several arrays of two or three dimensions (\"a\", \"b\")"));
    let named = read("a.npz", &stored(&[("a.npy", matrix()), ("data.npy", matrix())])).unwrap();
    assert_eq!(named.names(), ["x0", "x1"]);
    let only = read("a.npz", &stored(&[("X.npy", column)])).unwrap();
    assert_eq!(only.names(), ["x0"]);
}

#[test]
fn a_request_for_a_left_out_array_says_why() {
    let objects = npy("|O", false, "(2,)", b"pickle");
    let table = read("a.npz", &stored(&[("X.npy", matrix()), ("ids.npy", objects.clone())])).unwrap();
    let asked = table.column("ids").unwrap_err().to_string();
    assert!(asked.contains("array \"ids\" was left out") && asked.contains("pickled"), "{asked}");
    assert!(message(&stored(&[("ids.npy", objects)])).contains("pickled"));
    assert!(message(&stored(&[("readme.txt", b"hello".to_vec())])).contains("no array in it"));
}

#[test]
fn promises_that_cannot_be_kept_are_refused() {
    let huge = npy("<f8", false, "(99999999, 99)", &[0; 8]);
    assert!(message(&stored(&[("X.npy", huge)])).contains("compressed bytes can hold"));
    let long = npy("<f8", false, "(1, 1)", &[0; 4096]);
    assert!(
        message(&npz(&[("X.npy", long)], zip::CompressionMethod::Deflated)).contains("but there are more")
    );
    let short = npy("<f8", false, "(1, 2)", &[0; 8]);
    assert!(message(&stored(&[("X.npy", short)])).contains("but there are 8"));
    let zeros = npz(
        &[("X.npy", npy("<f8", false, "(100000, 8)", &vec![0; 6_400_000]))],
        zip::CompressionMethod::Deflated,
    );
    assert_eq!(read("a.npz", &zeros).unwrap().rows(), 100_000);
}

#[test]
fn three_dimensions_are_time_steps() {
    let series = npy("|u1", false, "(2, 2, 2)", &[1, 2, 3, 4, 5, 6, 7, 8]);
    let classes = npy("|u1", false, "(2,)", &[0, 1]);
    let table = read("a.npz", &stored(&[("y.npy", classes), ("X.npy", series)])).unwrap();
    assert_eq!(table.names(), ["x0", "x1", "x2", "x3", "y"]);
    assert_eq!(table.steps().map(|steps| (steps.time, steps.channels)), Some((2, 2)));
}

#[test]
fn entries_of_one_name_are_refused() {
    // The writer refuses it; so write two names of equal length and make them equal afterwards.
    let mut bytes = stored(&[("a.npy", matrix()), ("b.npy", matrix())]);
    for at in 0..bytes.len() - 5 {
        if &bytes[at..at + 5] == b"b.npy" {
            bytes[at] = b'a';
        }
    }
    assert!(message(&bytes).contains("the entry \"a.npy\" is in it twice"), "{}", message(&bytes));
}

#[test]
fn zeros_that_pack_well_are_refused_before_they_are_unpacked() {
    let zeros = npy("|u1", false, "(50000, 1000)", &vec![0; 50_000_000]);
    let bytes = npz(&[("X.npy", zeros)], zip::CompressionMethod::Deflated);
    let error = read("a.npz", &bytes).unwrap_err();
    assert!(error.is_memory(), "{error}");
}
