//! The command line of the laboratory.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Research on eocc: the paper's tables repeated, and what every part of the classifier is worth.
#[derive(Debug, Parser)]
#[command(name = "eocc-lab", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Threads to use; all cores unless given. The result does not depend on it.
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Repeat a table of the paper, with the published figures next to ours.
    Reproduce(ReproduceArgs),
    /// Rank `default`, its variants and every comparator on collections of data sets, side by side.
    Leaderboard(LeaderboardArgs),
    /// Compare `default` with the best known classifiers of scikit-learn and PyOD on every open collection.
    Benchmark(BenchmarkArgs),
    /// Measure what is claimed of streams, on synthetic ones.
    Streams(StreamsArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  eocc-lab benchmark --python python3 -o docs/results/benchmark.md")]
/// Options of `benchmark`.
pub struct BenchmarkArgs {
    /// Where to write the page, as Markdown; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A Python interpreter with numpy, scikit-learn and pyod.
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: PathBuf,
    /// Folder with the data; `$EOCC_DATA`, `../shared/data` or `./data` unless given.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Only these collections, as in `leaderboard`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub collections: Vec<String>,
    /// Only sets whose name contains one of these.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Number of seeds.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeats: usize,
    /// Folder where results are kept as they come, so that a stopped run goes on; the present one unless given.
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  eocc-lab streams -o docs/results/streams.md")]
/// Options of `streams`.
pub struct StreamsArgs {
    /// Parts of the report, separated by commas; all unless given.
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    pub parts: Vec<StreamPart>,
    /// How many streams without a change to follow; other tables take a share of it.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub runs: usize,
    /// How long the stream is whose memory is measured.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub observations: u64,
    /// Where to write the report, as Markdown; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A part of the report on streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StreamPart {
    /// False alarms.
    False,
    /// Serial dependence.
    Dependence,
    /// Delays of alarms.
    Delays,
    /// New regions.
    Regions,
    /// Bursts, shifts and returns.
    Bursts,
    /// Memory.
    Memory,
    /// Comparisons of strings.
    Comparisons,
}

impl StreamPart {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 7] = [
        Self::False,
        Self::Dependence,
        Self::Delays,
        Self::Regions,
        Self::Bursts,
        Self::Memory,
        Self::Comparisons,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::False => "false alarms",
            Self::Dependence => "serial dependence",
            Self::Delays => "delays",
            Self::Regions => "new regions",
            Self::Bursts => "bursts, shifts and returns",
            Self::Memory => "memory",
            Self::Comparisons => "comparisons of strings",
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  eocc-lab reproduce uci --data data -o uci.md")]
/// Options of `reproduce`.
pub struct ReproduceArgs {
    /// Which table of the paper.
    pub table: PaperTable,
    /// Folder with the data; `$EOCC_DATA`, `../shared/data` or `./data` unless given.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// `all`, or names separated by commas; `all,-paper` leaves one out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    pub methods: Vec<String>,
    /// How often to repeat.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeats: usize,
    /// Number of folds.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub folds: usize,
    /// Where results are kept as they come; named after the data and the settings unless given.
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Where to write the tables, as Markdown; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Proteins: leave out the graphs, whose edit distances take most of the time, and write one plain table.
    #[arg(long)]
    pub without_graphs: bool,
    /// Draw the figures of the table into this folder.
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "The collections; one that is not there is left out, and named:
  tables   adbench/, embeddings/, keel/: half of the nominals train, the rest and the outliers test
  tables   uci/: ten folds
  strings  esol/esol_sequences.csv: `insoluble` and `soluble`, each nominal once; ten folds
  series   ts/NAME_TRAIN.ts and ts/NAME_TEST.ts: every class nominal in turn
  graphs   iam/AIDS, GREC, Letter-LOW, Letter-HIGH, Protein (.tar.gz): ten folds
  all      kinds/strings_NAME, series_NAME, graphs_NAME (.jsonl.gz): the largest classes nominal in turn;
           strings once more by plain Levenshtein distance
Tables are NPZ files with `X`, and `y` of 1 for an anomaly, or CSV files with a column `label` of
`target` and `outlier`; the file of strings has columns `sequence` and `class`.

Examples:
  eocc-lab leaderboard --data data -o leaderboard.md
  eocc-lab leaderboard --methods default,k-nn-mean,lof --contamination 0.05 --told")]
/// Options of `leaderboard`.
pub struct LeaderboardArgs {
    /// Folder with the data; `$EOCC_DATA`, `../shared/data` or `./data` unless given.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Names separated by commas, `all` for every classifier, `variants` for those of `default`, `-NAME` to leave one out;
    /// every one that is not too slow unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Only these collections, by the names of their journals: adbench, uci, embeddings, keel, strings, series, graphs,
    /// kinds-strings, kinds-strings-plain, kinds-series, kinds-graphs.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub collections: Vec<String>,
    /// Only sets whose name contains one of these.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Number of seeds, and of repeats of the cross-validation.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeats: usize,
    /// Most nominals to train on, where half of them do.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub most: usize,
    /// Most nominals to test on, and most outliers, where half of the nominals train.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub most_tests: usize,
    /// Put this share of outliers among the training samples: of tables only, all of them by half splits.
    #[arg(long, value_name = "SHARE")]
    pub contamination: Option<f64>,
    /// Tell `default` and its variants the share of outliers.
    #[arg(long, requires = "contamination")]
    pub told: bool,
    /// Folder where results are kept as they come; the present one unless given.
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,
    /// Where to write the tables, as Markdown; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// A table of the paper.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PaperTable {
    /// The eight UCI sets.
    Uci,
    /// The five sets of graphs.
    Iam,
    /// Soluble and insoluble proteins in six representations.
    Proteins,
}
