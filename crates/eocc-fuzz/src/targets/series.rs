//! Time series in tables, one row per series and one row per value.

use eocc_core::sample::MAX_SERIES_LENGTH;
use eocc_core::{SampleSet as _, SeriesSet};
use eocc_data::{Dataset, Format, ModelReader, ReadOptions, ReadRequest, SeriesLayout, read_bytes};

pub(super) fn wide_seeds() -> Vec<Vec<u8>> {
    of_texts(&[
        "id,t0,t1,t2\na,1,2,3\nb,4,5,\nc,-1e3,0,2.5\n",
        "0.5,1,2\n3,4,5\n6,7,8\n",
        "name\tclass\tt0\tt1\nx\tgood\t1.5\t2\ny\tbad\t3\t4.25\n",
    ])
}

pub(super) fn long_seeds() -> Vec<Vec<u8>> {
    of_texts(&[
        "id,time,value\na,0,1\na,1,2.5\nb,1,4\nb,0,3\n",
        "id,time,channel,value\na,0,x,1\na,0,y,2\nb,0,x,3\nb,0,y,4\n",
        "id,time,value,class\na,2024-03-01,1,u\na,2024-03-02 12:30:00,2,u\nb,2024-03-01,3,v\n",
    ])
}

fn of_texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub(super) fn wide(bytes: &[u8]) -> bool {
    read(bytes, SeriesLayout::Wide)
}

pub(super) fn long(bytes: &[u8]) -> bool {
    read(bytes, SeriesLayout::Long)
}

/// Reads a table of series for training, and again for a model of these series.
fn read(bytes: &[u8], layout: SeriesLayout) -> bool {
    let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    let Ok(table) = read_bytes("input.csv", bytes, &options) else { return false };
    let request = ReadRequest { options, series: Some(layout), ..ReadRequest::default() };
    let Ok(data) = Dataset::of_table(&table, &request) else { return false };
    if let Some(series) = data.samples.downcast_ref::<SeriesSet>() {
        for one in series.refs() {
            assert!((1..=MAX_SERIES_LENGTH).contains(&one.len()), "a series of {} steps", one.len());
            assert!(one.values().iter().all(|value| value.is_finite()), "a value that is not finite");
        }
    }
    for skip_bad_rows in [false, true] {
        let request = ReadRequest { skip_bad_rows, ..request.clone() };
        if let Ok(again) = ModelReader::new(data.samples.layout(), request).read(&table) {
            let count = again.data.map_or(0, |data| data.count()) + again.bad.len();
            assert_eq!(count, data.count(), "series are lost");
        }
    }
    true
}
