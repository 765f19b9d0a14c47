//! Small collections of every kind, in the form that the leaderboard reads. Outliers are far from the nominals, so
//! that every reasonable classifier has an AUC of 1, except where noted.

use std::fmt::Write as _;
use std::fs::{File, create_dir_all, write};
use std::io::Write as _;
use std::path::Path;

/// A table of 80 nominals in two clumps and 10 outliers: far out or, if `is_hollow`, in the middle between the
/// clumps. A normal density considers the middle most nominal: its AUC is then 0.
fn rows(is_hollow: bool) -> Vec<([f64; 2], bool)> {
    let mut rows = Vec::new();
    for i in 0..80_u32 {
        let side = if i % 2 == 0 { -10.0 } else { 10.0 };
        rows.push(([side + f64::from(i % 5) / 5.0, side + f64::from(i * 7 % 11) / 11.0], false));
    }
    for i in 0..10 {
        let at = if is_hollow { 0.4 } else { 200.0 } + f64::from(i) / 100.0;
        rows.push(([at, at], true));
    }
    rows
}

/// `FOLDER/NAME.csv`, as in UCI.
pub(crate) fn csv(folder: &Path, name: &str, is_hollow: bool) {
    create_dir_all(folder).unwrap();
    let mut text = "a,b,label\n".to_owned();
    for ([a, b], is_outlier) in rows(is_hollow) {
        writeln!(text, "{a},{b},{}", if is_outlier { "outlier" } else { "target" }).unwrap();
    }
    write(folder.join(format!("{name}.csv")), text).unwrap();
}

/// `FOLDER/NAME.npz`, as in `ADBench`: `X` and `y`.
pub(crate) fn npz(folder: &Path, name: &str, is_hollow: bool) {
    create_dir_all(folder).unwrap();
    let rows = rows(is_hollow);
    let features: Vec<f64> = rows.iter().flat_map(|r| r.0).collect();
    let labels: Vec<f64> = rows.iter().map(|r| f64::from(u8::from(r.1))).collect();
    let mut archive = zip::ZipWriter::new(File::create(folder.join(format!("{name}.npz"))).unwrap());
    for (part, shape, values) in
        [("X.npy", format!("({}, 2)", rows.len()), features), ("y.npy", format!("({},)", rows.len()), labels)]
    {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        // Magic, version and length take ten bytes; the total is a multiple of 64.
        let header = format!("{header:<117}\n");
        archive.start_file(part, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
        archive.write_all(header.as_bytes()).unwrap();
        for value in values {
            archive.write_all(&value.to_le_bytes()).unwrap();
        }
    }
    archive.finish().unwrap();
}

/// `esol/esol_sequences.csv`: twelve sequences of each class, and one between the classes.
pub(crate) fn strings(data: &Path) {
    create_dir_all(data.join("esol")).unwrap();
    let mut text = "id,uniprot,sequence,class\n".to_owned();
    for i in 0..12_usize {
        let (tail, more) = (&"MNPQ"[..i % 4], "T".repeat(i % 3));
        writeln!(text, "i{i},,ACACACACAC{tail}{more},insoluble").unwrap();
        writeln!(text, "s{i},,GWGWGWGWGW{tail}{more},soluble").unwrap();
    }
    text.push_str("m0,,LLLL,middle\n");
    write(data.join("esol/esol_sequences.csv"), text).unwrap();
}

/// `ts/Waves_TRAIN.ts` and `ts/Waves_TEST.ts`: classes `up` and `down`, with eight training and four test series
/// each.
pub(crate) fn series(data: &Path) {
    create_dir_all(data.join("ts")).unwrap();
    for (part, count) in [("TRAIN", 8), ("TEST", 4)] {
        let mut text =
            "@problemName Waves\n@timeStamps false\n@missing false\n@univariate true\n@equalLength true\n\
                        @seriesLength 6\n@classLabel true up down\n@data\n"
                .to_owned();
        for (class, slope) in [("up", 1.0), ("down", -1.0)] {
            for i in 0..count {
                let value = |t: i32| format!("{}", slope * f64::from(t) + f64::from(i * t % 3) / 10.0);
                writeln!(text, "{}:{class}", (0..6).map(value).collect::<Vec<_>>().join(",")).unwrap();
            }
        }
        write(data.join(format!("ts/Waves_{part}.ts")), text).unwrap();
    }
}

/// `iam/Letter-LOW.tar.gz`: twelve triangles `A` and five long paths `B`, given in the lists of the archive.
pub(crate) fn graphs(data: &Path) {
    create_dir_all(data.join("iam")).unwrap();
    let file = File::create(data.join("iam/Letter-LOW.tar.gz")).unwrap();
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    let mut add = |name: &str, text: &str| {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("Letter-LOW/{name}"), text.as_bytes()).unwrap();
    };
    let mut list = "<?xml version=\"1.0\"?>\n<GraphCollection><letters>".to_owned();
    for i in 0..17_u32 {
        let (class, nodes) = if i < 12 { ("A", 3) } else { ("B", 7) };
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<gxl><graph id=\"g{i}\" edgeids=\"false\" edgemode=\"undirected\">"
        );
        for v in 0..nodes {
            let x = f64::from(v) + f64::from(i * (v + 1) % 5) / 20.0;
            let y = f64::from(v % 2);
            write!(
                text,
                "<node id=\"_{v}\"><attr name=\"x\"><float>{x}</float></attr><attr name=\"y\"><float>{y}</float></attr></node>"
            )
            .unwrap();
        }
        for v in 1..nodes {
            write!(text, "<edge from=\"_{}\" to=\"_{v}\"/>", v - 1).unwrap();
        }
        text.push_str("</graph></gxl>");
        add(&format!("g{i}.gxl"), &text);
        write!(list, "<print file=\"g{i}.gxl\" class=\"{class}\"/>").unwrap();
    }
    list.push_str("</letters></GraphCollection>");
    add("test.cxl", &list);
    archive.into_inner().unwrap().finish().unwrap();
}
