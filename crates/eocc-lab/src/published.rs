//! The numbers published in the paper, all in one place, for comparison with ours.

/// The columns of the table of UCI results.
pub const UCI_SETS: [&str; 8] = ["AB", "AR", "BC-P", "BI", "BW", "D", "E", "L"];

/// A row of that table: AUC and standard deviation on each set, if published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedRow {
    /// Name of the classifier in the registry.
    pub method: &'static str,
    /// AUC.
    pub auc: [Option<f64>; 8],
    /// Standard deviation, as published.
    pub deviation: [Option<f64>; 8],
}

const fn row(method: &'static str, cells: [(f64, f64); 8]) -> PublishedRow {
    let (mut auc, mut deviation) = ([None; 8], [None; 8]);
    let mut i = 0;
    while i < 8 {
        if !cells[i].0.is_nan() {
            auc[i] = Some(cells[i].0);
            deviation[i] = Some(cells[i].1);
        }
        i += 1;
    }
    PublishedRow { method, auc, deviation }
}

/// Not published.
const NONE: (f64, f64) = (f64::NAN, f64::NAN);

/// The table of UCI results `[LA17, tab. II]`.
#[rustfmt::skip]
pub const UCI: &[PublishedRow] = &[
    row("paper", [(0.691, 0.012), (0.706, 0.010), (0.569, 0.006), (0.902, 0.007), (0.989, 0.003), (0.712, 0.007), (0.953, 0.008), (0.481, 0.013)]),
    row("eocc-1", [(0.685, 0.013), (0.683, 0.007), (0.554, 0.002), (0.847, 0.002), (0.990, 0.003), (0.607, 0.046), (0.953, 0.002), (0.461, 0.006)]),
    row("eocc-2", [(0.831, 0.001), (0.775, 0.016), (0.585, 0.021), (0.864, 0.003), (0.989, 0.001), (0.717, 0.005), (0.957, 0.003), (0.536, 0.021)]),
    row("gauss", [(0.861, 0.002), (0.606, 0.006), (0.591, 0.009), (0.900, 0.004), (0.823, 0.002), (0.705, 0.003), (0.929, 0.003), (0.586, 0.005)]),
    row("mixture", [(0.853, 0.005), (0.577, 0.166), (0.511, 0.017), (0.912, 0.009), (0.785, 1.003), (0.674, 0.003), (0.920, 0.004), (0.607, 0.006)]),
    row("naive-parzen", [(0.859, 0.004), (0.774, 0.007), (0.535, 0.015), (0.931, 0.002), (0.965, 0.004), (0.679, 0.003), (0.930, 0.008), (0.614, 0.002)]),
    row("parzen", [(0.863, 0.001), (0.577, 0.166), (0.586, 0.029), (0.900, 0.011), (0.723, 0.005), (0.676, 0.004), (0.922, 0.004), (0.590, 0.003)]),
    row("k-means", [(0.792, 0.011), (0.766, 0.006), (0.536, 0.021), (0.878, 0.012), (0.846, 0.035), (0.659, 0.007), (0.891, 1.006), (0.578, 1.000)]),
    row("1-nn", [(0.865, 0.001), (0.760, 0.008), (0.595, 0.025), (0.891, 0.008), (0.694, 0.006), (0.667, 0.007), (0.902, 0.009), (0.590, 0.009)]),
    row("k-nn", [(0.865, 0.001), (0.760, 0.008), (0.595, 0.025), (0.891, 0.008), (0.694, 0.006), (0.667, 0.007), (0.902, 0.009), (0.590, 0.009)]),
    row("auto-encoder", [(0.826, 0.003), (0.522, 0.021), (0.548, 0.037), (0.856, 0.022), (0.384, 0.009), (0.598, 1.008), (0.878, 1.000), (0.564, 0.009)]),
    row("pca", [(0.802, 0.001), (0.807, 0.010), (0.574, 0.018), (0.897, 0.005), (0.303, 0.010), (0.587, 0.002), (0.669, 0.011), (0.549, 0.005)]),
    row("som", [(0.814, 0.003), (0.772, 0.007), (0.523, 0.030), (0.887, 0.008), (0.790, 0.023), (0.692, 0.007), (0.890, 0.011), (0.596, 0.007)]),
    row("mst_cd", [(0.875, 0.001), (0.796, 0.006), (0.611, 0.026), (0.898, 0.010), (0.765, 0.018), (0.669, 0.007), (0.897, 0.009), (0.580, 0.009)]),
    row("k-centres", [(0.760, 0.008), (0.767, 0.016), (0.584, 0.055), (0.878, 0.024), (0.715, 0.124), (0.606, 0.016), (0.863, 0.012), (0.537, 0.041)]),
    row("svdd", [(0.806, 0.001), (0.581, 0.164), (0.498, 0.242), (0.220, 0.003), (0.700, 0.006), (0.577, 0.098), (0.894, 0.008), (0.470, 0.014)]),
    row("mpm", [(0.594, 0.001), (0.771, 0.005), (0.053, 0.001), (0.792, 0.057), (0.694, 0.006), (0.656, 0.007), (0.802, 0.005), (0.587, 0.009)]),
    row("lpdd", [(0.697, 0.001), (0.577, 0.166), (0.539, 0.183), (0.865, 0.026), (0.800, 0.005), (0.668, 0.007), (0.896, 0.005), (0.564, 0.026)]),
    row("chameleon", [(0.706, 0.004), (0.760, 0.008), NONE, (0.727, 0.019), (0.669, 0.008), (0.651, 0.010), (0.758, 0.016), (0.580, 0.009)]),
];

/// AUC, standard deviation, seconds to train and to test `[LA17, tab. IV]`.
pub type PublishedGraphs = [(f64, f64, f64, f64); 5];

/// The table of results on graphs, in the order A, G, L-L, L-H, P `[LA17, tab. IV]`.
pub const IAM: &[(&str, PublishedGraphs)] = &[
    (
        "paper",
        [
            (0.984, 0.019, 14.5, 1.922),
            (0.952, 0.008, 6.376, 0.332),
            (1.000, 0.000, 5.280, 0.600),
            (0.951, 0.056, 8.028, 1.462),
            (0.491, 0.018, 870.1, 6.388),
        ],
    ),
    (
        "eocc-1",
        [
            (0.977, 0.012, 34.86, 0.445),
            (0.993, 0.006, 6.396, 0.168),
            (1.000, 0.000, 3.901, 0.070),
            (0.905, 0.116, 4.132, 0.074),
            (0.388, 0.028, 568.9, 4.867),
        ],
    ),
    (
        "eocc-2",
        [
            (0.974, 0.014, 148.2, 0.468),
            (1.000, 0.000, 77.02, 0.171),
            (1.000, 0.000, 151.9, 0.074),
            (0.967, 0.004, 168.8, 0.093),
            (0.554, 0.025, 9152.0, 4.955),
        ],
    ),
];

/// AUC and standard deviation with insoluble and with soluble proteins as nominals `[LA17, tab. V]`.
pub const PROTEINS: [(&str, [(f64, f64); 2]); 6] = [
    ("SEQ", [(0.643, 0.015), (0.765, 0.010)]),
    ("GRAPH", [(0.764, 0.025), (0.632, 0.074)]),
    ("SEQV", [(0.647, 0.033), (0.783, 0.012)]),
    ("FEATURE", [(0.682, 0.026), (0.759, 0.019)]),
    ("PCA", [(0.611, 0.036), (0.556, 0.066)]),
    ("KPCA", [(0.656, 0.014), (0.584, 0.090)]),
];

/// The row of a classifier in the UCI table.
pub fn uci(method: &str) -> Option<&'static PublishedRow> {
    UCI.iter().find(|r| r.method == method)
}

/// AUC of every row, set by set; if not published, the mean of the other rows on that set.
pub fn uci_table() -> Vec<Vec<f64>> {
    let of_set = |s: usize| {
        let known: Vec<f64> = UCI.iter().filter_map(|r| r.auc[s]).collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        UCI.iter().map(|r| r.auc[s].unwrap_or(mean)).collect()
    };
    (0..UCI_SETS.len()).map(of_set).collect()
}

/// The row of a classifier in the table of graphs.
pub fn iam(method: &str) -> Option<&'static PublishedGraphs> {
    IAM.iter().find(|row| row.0 == method).map(|row| &row.1)
}

/// The name of a published classifier in tables.
pub fn title(name: &str) -> &str {
    eocc_baselines::method(name).map_or(name, |m| m.title)
}

/// Whether the paper took the numbers of a row from the published results of `dd_tools`.
pub fn is_from_dd_tools(method: &str) -> bool {
    uci(method).is_some() && !["paper", "eocc-1", "eocc-2"].contains(&method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_papers_shape() {
        assert_eq!(UCI.len(), 19);
        assert_eq!(UCI.iter().filter(|r| is_from_dd_tools(r.method)).count(), 16);
        let missing: Vec<&str> = UCI.iter().filter(|r| r.auc.contains(&None)).map(|r| r.method).collect();
        assert_eq!(missing, ["chameleon"]);
        let table = uci_table();
        // The mean of the other eighteen.
        let sum: f64 = table[2][..18].iter().sum();
        assert!((table[2][18] - sum / 18.0).abs() < 1e-12);
        assert!((table[7][5] - 0.614).abs() < 1e-12);
        for r in UCI {
            assert!(eocc_baselines::method(r.method).is_ok(), "{}", r.method);
        }
    }
}
