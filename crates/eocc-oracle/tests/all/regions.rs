//! The four data sets of the paper's figure give 3, 1, 2 and 2 regions `[LA17, fig. 3]`.

use eocc_oracle::paper::Reference;
use eocc_oracle::toy;

fn components(samples: &[Vec<f64>]) -> Vec<Vec<usize>> {
    Reference::fit(samples, &vec![1.0; samples[0].len()], 0.5, 50.0).components
}

#[test]
fn three_blobs_are_three_regions() {
    let expected: Vec<Vec<usize>> = vec![(0..60).collect(), (60..120).collect(), (120..180).collect()];
    for seed in 1..4 {
        assert_eq!(components(&toy::three_blobs(60, seed)), expected);
    }
}

#[test]
fn a_uniform_square_is_one_region() {
    for seed in 1..4 {
        assert_eq!(components(&toy::uniform_square(150, seed)).len(), 1);
    }
}

#[test]
fn crescent_and_disc_are_two_regions() {
    let expected: Vec<Vec<usize>> = vec![(0..80).collect(), (80..160).collect()];
    for seed in 1..4 {
        assert_eq!(components(&toy::crescent_and_disc(80, seed)), expected);
    }
}

#[test]
fn two_clouds_in_a_hundred_dimensions_are_two_regions() {
    let expected: Vec<Vec<usize>> = vec![(0..75).collect(), (75..150).collect()];
    for seed in 1..4 {
        assert_eq!(components(&toy::two_in_hundred_dimensions(75, seed)), expected);
    }
}
