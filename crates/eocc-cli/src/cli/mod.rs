//! The command line: what there is to say, and the help.

mod monitor;
mod options;
mod pictures;
mod proteins;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use monitor::*;
pub(crate) use options::*;
pub(crate) use pictures::*;
pub(crate) use proteins::*;
pub(crate) use serve::*;

/// One-class classification by entropic spanning graphs: learn what is nominal, then ask of each new sample whether it
/// belongs, how surely, and to which region.
#[derive(Debug, Parser)]
#[command(name = "eocc", version, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Threads to use; all cores unless given. The result does not depend on it.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Say nothing but errors and what is asked for: no notes, no warnings, no summary.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  eocc demo                                       see it work on four small sets
  eocc columns all.csv                            how each column would be read
  eocc outliers all.csv                           which rows are unlike the rest
  eocc fit good.csv -o good.eocc                  learn from nominal rows
  eocc score good.eocc new.csv > scores.csv       judge new rows
  eocc explain good.eocc new.csv --row 17         why a row is judged so
  eocc monitor state.eocc new.csv --from good.eocc     follow a stream, and tell when it changes
  eocc report good.eocc new.csv -o report.html    see the model and its decisions
  eocc evaluate all.csv --label class --nominal good
  eocc compare all.csv --label class --nominal good     ours and twenty-two other classifiers
  eocc serve good.eocc                            answer over HTTP

Exit codes:
  0    done
  1    a sample was rejected, with --fail-if-rejected
  2    the command line or a parameter is at fault
  3    the data cannot be used
  4    the model file cannot be used
  5    a file cannot be read or written
  6    the run would not fit in memory
  70   eocc itself is at fault: please report it
  129  stopped because the terminal was closed (HUP)
  130  stopped by Ctrl-C
  143  stopped by TERM";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a model from nominal samples and save it.
    Fit(FitArgs),
    /// Score samples with a saved model.
    Score(ScoreArgs),
    /// Follow a stream: judge each sample, learn what is accepted, and tell when the stream changes.
    Monitor(MonitorArgs),
    /// Find the rows of a file that are unlike the rest.
    Outliers(OutliersArgs),
    /// Say why samples are judged as they are.
    Explain(ExplainArgs),
    /// Show how each column of a file would be read, why, and which option changes it.
    Columns(ColumnsArgs),
    /// Show what a saved model is.
    Inspect(InspectArgs),
    /// Make a page of a model and of what it says of samples, to look at in a browser.
    Report(ReportArgs),
    /// Draw a model for a paper: map, density, weights, descent or ROC curve.
    Plot(PlotArgs),
    /// Measure by repeated cross-validation how well nominal samples are told from outliers.
    Evaluate(EvaluateArgs),
    /// Compute dissimilarities: the matrix, or those of given pairs.
    Distances(DistancesArgs),
    /// Compare many classifiers on many data sets, on the same folds.
    Compare(CompareArgs),
    /// Make tables, graphs or series of protein structures.
    Proteins(ProteinsArgs),
    /// Train on the four data sets of the paper's figure and draw them.
    Demo(DemoArgs),
    /// Answer over HTTP, by the Open Inference Protocol.
    Serve(ServeArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print a man page, or write all of them into a folder.
    Man(ManArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Dissimilarities, the first being the default for its type of data:
  numbers      views (euclidean with --preset paper), mahalanobis, manhattan, chebyshev, minkowski, cosine, hamming, jaccard, chi2, emd
  strings      levenshtein, alignment, osa, jaro-winkler
  time series  dtw, erp, msm, twe, soft-dtw
  mixed rows   views (gower with --preset paper), heom
  graphs       ged (--set costs=letter|aids|grec|protein|schema, method=refine|ipfp|exact|bipartite|branch-fast)
  records      combined (of one for each part: --set PART.dissimilarity=NAME --set PART.KEY=VALUE)
With --precomputed the data is the dissimilarity.

Examples:
  eocc fit good.csv -o good.eocc
  eocc fit all.csv --label class --nominal good -o good.eocc
  eocc fit all.csv --label class --nominal good --preset paper --search genetic -o paper.eocc
  eocc fit distances.npy --precomputed -o model.eocc
  eocc fit proteins.fasta -o proteins.eocc --set unit=chars
  eocc fit healthy_TRAIN.ts --nominal 1 -o healthy.eocc --set band=0.1
  eocc fit people.csv -o people.eocc --types \"grade=ordered:low<mid<high\"
  zcat good.csv.gz | eocc fit - -o good.eocc --reject 0.01 --json")]
pub(crate) struct FitArgs {
    /// The data: CSV, Parquet, Arrow, NPY, NPZ, JSON Lines, FASTA, TS, strings line by line, or graphs as GXL,
    /// `GraphML` or JSON; a folder or a pattern in quotes, such as 'logs/*.csv', for several tables; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Where to save the model.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Column with the classes; it is not a feature.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The class to learn from, or several with commas between them; other rows are left out. May be given more than once.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub(crate) nominal: Vec<String>,
    /// Classes from a CSV file `name,label` next to the data.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// The column with the names of the samples, which is no feature; found out unless given.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Also write the score of every training sample, as if it were new, with the columns of `eocc score`.
    #[arg(long, value_name = "FILE")]
    pub(crate) scores: Option<PathBuf>,
    /// Columns to carry along into the scores, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',', requires = "scores")]
    pub(crate) keep: Vec<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each input row gives one output row, in order:
  row         number of the row, from 0
  name        name of the sample, if it has one: of a FASTA record, a graph, or in a column of keys
  score       larger is more nominal; without bound
  membership  degree in [0, 1]
  accepted    true or false
  region      the decision region that the sample is closest to, from 0
  p_value     share of nominal samples expected to score no higher
then the columns that --keep names. Rows are read, judged and written in batches, in order; those of a pipe as they come.

Examples:
  eocc score good.eocc new.csv
  eocc score good.eocc new.csv --keep all --on-bad-row skip --bad-rows bad.csv
  tail -f log.csv | eocc score good.eocc -
  eocc score good.eocc all.csv --label class -o scores.parquet
  eocc score good.eocc - --format jsonl < new.jsonl")]
pub(crate) struct ScoreArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// The samples to score, with the features of the model; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The column with the names of the samples, which is no feature; found out unless given.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Columns to carry along, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// What to do with missing values: leave them to the dissimilarity of the model, put what was usual in training in their
    /// place, leave out their rows, or stop. Left to a model that takes them unless given; others stop.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) missing: Option<MissingName>,
    /// Write only the samples that are rejected.
    #[arg(long)]
    pub(crate) rejected: bool,
    /// The share of nominal samples that may be rejected, in place of the model's own: samples with a p-value up to it are.
    #[arg(long, value_name = "R", value_parser = share)]
    pub(crate) reject: Option<f64>,
    /// Exit with code 1 if any sample is rejected.
    #[arg(long)]
    pub(crate) fail_if_rejected: bool,
    /// What to do with a row that cannot be judged: stop, leave it out, or report it in a column `error`.
    #[arg(long, value_enum, value_name = "HOW", default_value = "error")]
    pub(crate) on_bad_row: OnBadRow,
    /// Where to write the rows that could not be judged, as they are in the input.
    #[arg(long, value_name = "FILE")]
    pub(crate) bad_rows: Option<PathBuf>,
    /// Redo the graph with each sample (exact) or leave it as trained (fast); as the preset says unless given.
    #[arg(long, value_enum)]
    pub(crate) scoring: Option<ScoringName>,
    /// Format of the output; by the extension of the output file unless given, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Where to write; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// What becomes of rows that cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBadRow {
    Error,
    Skip,
    Report,
}

#[derive(Debug, Args)]
#[command(after_help = "\
No labels and no second file: every row is judged by all the others, none by itself. Those that are rejected come out, the
most suspicious first; with --top as many as you ask for. One in ten is expected to be an outlier, so that they do not vouch
for each other, and the oddest twentieth is rejected; with --contamination as many as you expect.
  row        number of the row, from 0
  name       where the samples have names
  score      larger is more nominal; without bound
  p_value    share of the rows expected to score no higher
  rejected   true or false
  feature_1, share_1, feature_2, share_2   the features, or parts, that say most, and their shares
  trimmed    whether the row lies so far out that it counted as nobody's neighbour
  group      rows that are nearly alike have the same number, from 0

On a terminal, a table for people instead (--format table): similar rows in one line, with the reasons in words.

Examples:
  eocc outliers all.csv
  eocc outliers all.csv --top 20
  eocc outliers all.csv --contamination 0.05 -o suspicious.csv
  eocc outliers proteins.fasta --reject 0.01
  eocc outliers all.csv --report report.html")]
pub(crate) struct OutliersArgs {
    /// The data; `-` for standard input.
    pub(crate) data: PathBuf,
    /// The most suspicious rows, so many of them, rejected or not.
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The column with the names of the samples, which is no feature; found out unless given.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Columns to carry along, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// Format of the output; by the extension of the file unless given. On a terminal a table for people, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutliersFormat>,
    /// Where to write; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also make a page of all rows to look at in a browser, as `eocc report` does.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
For each sample: the decision, the features that say most with their values and what is usual among the nominals, and the
nearest nominals by name. Strings are shown beside the nearest one, time series beside the steps that they are matched with,
graphs with the edits that lead to it.

Examples:
  eocc explain good.eocc new.csv                  all that are rejected
  eocc explain good.eocc new.csv --row 17
  eocc explain good.eocc new.csv --id A-231 --json")]
pub(crate) struct ExplainArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// The samples, with the features of the model; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Only this row, from 0. May be given more than once.
    #[arg(long, value_name = "N")]
    pub(crate) row: Vec<usize>,
    /// Only the sample of this name. May be given more than once.
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Vec<String>,
    /// Most samples to explain, the most suspicious first, unless they are named.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) top: usize,
    /// How many nearest nominals to name.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) nearest: usize,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// What to do with missing values; see `eocc score --help`.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) missing: Option<MissingName>,
    /// What to do with other rows that cannot be judged: stop, or leave them out.
    #[arg(long, value_enum, value_name = "HOW", default_value = "skip")]
    pub(crate) on_bad_row: OnBadRow,
    /// Print one JSON object a line instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Csv,
    Jsonl,
    Parquet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutliersFormat {
    /// For people: similar rows in one line, with the reasons in words.
    Table,
    Csv,
    Jsonl,
    Parquet,
}

impl OutliersFormat {
    /// The format of a file; none for people.
    pub(crate) fn of_file(self) -> Option<OutputFormat> {
        match self {
            Self::Table => None,
            Self::Csv => Some(OutputFormat::Csv),
            Self::Jsonl => Some(OutputFormat::Jsonl),
            Self::Parquet => Some(OutputFormat::Parquet),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line for each column: its name, what it is read as, why, and the option that changes it. Nothing is fitted.

Examples:
  eocc columns all.csv
  eocc columns all.csv --label class --types zip=category
  eocc columns all.csv --json")]
pub(crate) struct ColumnsArgs {
    /// The data; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Column with the classes; it is not a feature.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The column with the names of the samples, which is no feature; found out unless given.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Print one JSON object a line instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  eocc inspect good.eocc --json")]
pub(crate) struct InspectArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The nominal samples are cut into folds; each is tested, together with all outliers, by a model of the rest.
  AUC                share of pairs of a nominal sample and an outlier in which the nominal one scores higher
  average precision  of finding the outliers, those with low scores first
  detection rate     share of the outliers that the model rejects at its threshold (--reject)
  false-alarm rate   share of the nominal samples that it rejects
Rates are over all folds and repeats. Intervals of 95 % count each sample once: Newcombe's for the AUC, Wilson's for the
others. Seconds are processor time, dissimilarities included.

Examples:
  eocc evaluate all.csv --label class --nominal good
  eocc evaluate all.npz --label y --nominal 0 --preset paper --search none --json")]
pub(crate) struct EvaluateArgs {
    /// The data, nominal samples and outliers; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Column with the classes; a TS file has its own.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// Classes from a CSV file `name,label` next to the data.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// Column that says which samples train (`train`); the others test, once, in place of cross-validation.
    #[arg(long, value_name = "COL", conflicts_with = "test")]
    pub(crate) split: Option<String>,
    /// Test on this file, once, in place of cross-validation.
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,
    /// The nominal class, or several with commas between them. May be given more than once.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, required = true)]
    pub(crate) nominal: Vec<String>,
    /// How often to repeat.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) repeats: usize,
    /// Number of folds.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) folds: usize,
    /// How to score; as the preset says unless given.
    #[arg(long, value_enum)]
    pub(crate) scoring: Option<ScoringName>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each measure as it is: features and channels are not scaled unless a setting says so. Measures that are normalised give
the plain distance with --set normalize=false.

Examples:
  eocc distances proteins.fasta -o D.npy
  eocc distances words.csv other.csv --dissimilarity osa --set normalize=false
  eocc distances waves.ts --set band=0.1 --pairs pairs.csv
  eocc distances Letter-HIGH.tar.gz --set costs=letter --method ipfp --pairs pairs.csv --bounds
  eocc distances Letter-HIGH.tar.gz --set costs=letter --explain AP1_0000 AP1_0001")]
pub(crate) struct DistancesArgs {
    /// The samples; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Other samples: a row for each of DATA, a column for each of these.
    pub(crate) other: Option<PathBuf>,
    /// The dissimilarity; chosen from the type of data unless given. `eocc fit --help` lists them.
    #[arg(long, value_name = "NAME")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity. May be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Only these pairs: a CSV file `a,b` of names or numbers of rows; `b` is of OTHER if that is given.
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,
    /// How graph edit distances are found: branch-fast, bipartite, refine, ipfp or exact; short for --set method=METHOD.
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Also the bounds of graph edit distances, in the columns `lower` and `upper`.
    #[arg(long, requires = "pairs")]
    pub(crate) bounds: bool,
    /// Print how one graph is turned into another, edit by edit.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["pairs", "output"])]
    pub(crate) explain: Option<Vec<String>>,
    /// Column to leave out, such as the classes.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// Where to write, as its extension says: a matrix as NPY or CSV, pairs as CSV, JSON Lines or Parquet; CSV on standard
    /// output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  eocc demo -o pictures")]
pub(crate) struct DemoArgs {
    /// Folder for the pictures and the data.
    #[arg(short, long, value_name = "DIR", default_value = "eocc-demo")]
    pub(crate) output: PathBuf,
    /// Seed of the data.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  eocc man fit | man -l -
  eocc man -o ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The command; the program as a whole unless given.
    pub(crate) command: Option<String>,
    /// Write the pages of all commands into this folder instead.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  eocc completions bash > ~/.local/share/bash-completion/completions/eocc")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
All methods are run on the same folds. Every result is written to a journal as it comes; the same command, run again after
an interruption, goes on where it was. Methods work on the features as they are unless --standardize is given. Seconds are processor time,
dissimilarities included.

Methods: default and paper (ours), eocc-1, eocc-2, gauss, mixture, naive-parzen, parzen, k-means, 1-nn, k-nn, auto-encoder, pca,
som, mst_cd, k-centres, svdd, mpm, lpdd, chameleon (the paper's), isolation-forest, lof, dte-np, k-nn-mean.

Examples:
  eocc compare all.csv --label class --nominal good
  eocc compare a.csv b.csv c.csv --label class --nominal good --methods default,gauss,svdd --plots pictures
  eocc compare distances.npy --precomputed --label 500 --nominal 0 --format markdown")]
pub(crate) struct CompareArgs {
    /// The data sets, nominal samples and outliers.
    #[arg(required = true)]
    pub(crate) data: Vec<PathBuf>,
    /// Column with the classes; TS files and lists of graphs have their own.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// Classes from a CSV file `name,label` next to the data.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// The nominal class, or several with commas between them. May be given more than once.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, required = true)]
    pub(crate) nominal: Vec<String>,
    /// `all`, or names separated by commas; `all,-paper` leaves one out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    pub(crate) methods: Vec<String>,
    /// How often to repeat.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) repeats: usize,
    /// Number of folds.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) folds: usize,
    /// Format of the output.
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: TableFormatName,
    /// Where results are kept as they come; a file in this folder, named after the data and the settings, unless given.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Forget what the journal holds.
    #[arg(long)]
    pub(crate) restart: bool,
    /// Draw into this folder: the AUC with intervals of one data set; mean values and mean ranks with the critical difference of
    /// several.
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Divide every feature by its standard deviation among the nominals learned from.
    #[arg(long)]
    pub(crate) standardize: bool,
    /// The dissimilarity; chosen from the type of data unless given.
    #[arg(long, value_name = "NAME")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity. May be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// The data are square matrices of dissimilarities among the samples.
    #[arg(long)]
    pub(crate) precomputed: bool,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormatName {
    Table,
    Csv,
    Markdown,
    Latex,
    Json,
}
