//! The command line: commands, options and their help.

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

/// One-class classification for any data: learn from nominal samples, then decide for each new sample whether it belongs,
/// with a p-value and the reasons.
#[derive(Debug, Parser)]
#[command(name = "eocc", version, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Threads to use; all cores by default. Results do not depend on it.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Print only errors and the requested output: no notes, warnings or summary.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

const AFTER_HELP: &str = "\
Examples:
  eocc demo                                       try it on four small data sets
  eocc columns all.csv                            how each column would be read
  eocc outliers all.csv                           find the most unusual rows
  eocc fit good.csv -o good.eocc                  learn from nominal rows
  eocc score good.eocc new.csv > scores.csv       score new rows
  eocc explain good.eocc new.csv --row 17         explain the decision on a row
  eocc monitor state.eocc new.csv --from good.eocc     follow a stream and raise an alarm when it changes
  eocc report good.eocc new.csv -o report.html    show the model and its decisions in a browser
  eocc evaluate all.csv --label class --nominal good
  eocc compare all.csv --label class --nominal good     compare with 22 other classifiers
  eocc serve good.eocc                            answer over HTTP

Exit codes:
  0    done
  1    a sample was rejected, or a row could not be scored, with --fail-if-rejected
  2    wrong command line or parameter
  3    the data cannot be used
  4    the model file cannot be used
  5    a file cannot be read or written
  6    not enough memory
  70   a bug in eocc: please report it
  129  stopped because the terminal was closed (HUP)
  130  stopped by Ctrl-C
  143  stopped by TERM";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a model from nominal samples and save it.
    Fit(FitArgs),
    /// Score samples with a saved model.
    Score(ScoreArgs),
    /// Follow a stream: score each sample, learn from accepted ones, and raise an alarm when the stream changes.
    Monitor(MonitorArgs),
    /// Find the most unusual rows of a file.
    Outliers(OutliersArgs),
    /// Explain the decisions on samples.
    Explain(ExplainArgs),
    /// Show how each column of a file would be read, why, and which option changes it.
    Columns(ColumnsArgs),
    /// Describe a saved model.
    Inspect(InspectArgs),
    /// Write an HTML report of a model and its decisions.
    Report(ReportArgs),
    /// Draw a model for a paper: map, density, weights, descent or ROC curve.
    Plot(PlotArgs),
    /// Measure by repeated cross-validation how well nominals and outliers are separated.
    Evaluate(EvaluateArgs),
    /// Compute dissimilarities: a matrix, or given pairs.
    Distances(DistancesArgs),
    /// Compare many classifiers on many data sets, on the same folds.
    Compare(CompareArgs),
    /// Turn protein structures into tables, graphs or series.
    Proteins(ProteinsArgs),
    /// Train on the four data sets of the paper's figure and draw them.
    Demo(DemoArgs),
    /// Serve models over HTTP, by the Open Inference Protocol.
    Serve(ServeArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print a man page, or write all of them into a folder.
    Man(ManArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Dissimilarities; the first of each line is the default:
  numbers      views (euclidean with --preset paper), mahalanobis, manhattan, chebyshev, minkowski, cosine, hamming, jaccard, chi2, emd
  strings      levenshtein, alignment, osa, jaro-winkler
  time series  dtw, erp, msm, twe, soft-dtw
  mixed rows   views (gower with --preset paper), heom
  graphs       ged (--set costs=letter|aids|grec|protein|schema, method=refine|ipfp|exact|bipartite|branch-fast)
  records      combined (one for each part: --set PART.dissimilarity=NAME --set PART.KEY=VALUE)
With --precomputed, the data is the matrix of dissimilarities.

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
    /// The data: CSV, Parquet, Arrow, NPY, NPZ, JSON Lines, FASTA, TS, lines of text, or graphs as GXL, `GraphML` or JSON; a
    /// folder or a quoted pattern, such as 'logs/*.csv', for several tables; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Where to save the model.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: PathBuf,
    /// Column with the classes; it is not a feature.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The class to learn from, or several separated by commas; other rows are left out (repeatable).
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub(crate) nominal: Vec<String>,
    /// Classes from a CSV file `name,label` next to the data.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// Column with the names of the samples, which is not a feature; detected by default.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Also write the score of every training sample, computed as if it were new, with the columns of `eocc score`.
    #[arg(long, value_name = "FILE")]
    pub(crate) scores: Option<PathBuf>,
    /// Columns to copy into the scores, by name or number, separated by commas; `all` for every column.
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
  name        name of the sample, if it has one: from a key column, a FASTA record or a graph
  score       larger is more nominal; unbounded
  membership  degree in [0, 1]
  accepted    true or false
  region      the closest decision region, from 0
  p_value     expected fraction of nominal samples that score no higher
and the columns named by --keep. Rows are processed in batches, in order; rows from a pipe as they arrive.

Examples:
  eocc score good.eocc new.csv
  eocc score good.eocc new.csv --keep all --on-bad-row skip --bad-rows bad.csv
  tail -n +1 -f log.csv | eocc score good.eocc -
  eocc score good.eocc all.csv --label class -o scores.parquet
  eocc score good.eocc - --format jsonl < new.jsonl")]
pub(crate) struct ScoreArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// The samples to score, with the features of the model; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Where to write; standard output by default.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: Option<PathBuf>,
    /// Output format; by default, from the extension of the output file, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Write only the rejected samples.
    #[arg(long)]
    pub(crate) rejected: bool,
    /// Columns to copy into the output, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// Reject samples with a p-value of at most R, instead of the model's own rate.
    #[arg(long, value_name = "R", value_parser = share)]
    pub(crate) reject: Option<f64>,
    /// Exit with code 1 if any sample is rejected, or any row cannot be scored.
    #[arg(long)]
    pub(crate) fail_if_rejected: bool,
    /// Column with the names of the samples, which is not a feature; detected by default.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// Redo the graph with each sample (exact) or leave it as trained (fast); the preset decides by default.
    #[arg(long, value_enum)]
    pub(crate) scoring: Option<ScoringName>,
    /// What to do with missing values: let the dissimilarity of the model handle them, fill in typical values of training,
    /// drop their rows, or stop. By default, the model handles them if it can; otherwise they are an error.
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Missing values and bad rows")]
    pub(crate) missing: Option<MissingName>,
    /// What to do with a row that cannot be scored: stop, skip it, or report it in a column `error`.
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "error",
        help_heading = "Missing values and bad rows"
    )]
    pub(crate) on_bad_row: OnBadRow,
    /// Where to write the rows that could not be scored, as they are in the input.
    #[arg(long, value_name = "FILE", help_heading = "Missing values and bad rows")]
    pub(crate) bad_rows: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// What happens to rows that cannot be scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBadRow {
    Error,
    Skip,
    Report,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Needs no labels and no second file: every row is scored against all the others. Prints the rejected rows, most suspicious \
first, or the first N with --top. By default, it assumes that one row in ten may be an outlier and rejects the most unusual \
5 %; --contamination sets both.
  row        number of the row, from 0
  name       name of the row, if it has one
  score      larger is more nominal; unbounded
  p_value    fraction of the rows that score no higher
  rejected   true or false
  feature_1, share_1, feature_2, share_2   the two features, or parts, that contribute most, and their shares
  trimmed    whether the row lies so far out that it was excluded as a neighbor
  group      similar rows have the same number, from 0

On a terminal, --format table is the default: similar rows on one line, with the reasons in words.

Examples:
  eocc outliers all.csv
  eocc outliers all.csv --top 20
  eocc outliers all.csv --contamination 0.05 -o suspicious.csv
  eocc outliers proteins.fasta --reject 0.01
  eocc outliers all.csv --report report.html")]
pub(crate) struct OutliersArgs {
    /// The data; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Where to write; standard output by default.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: Option<PathBuf>,
    /// Output format; by default, from the extension of the output file, else a table on a terminal and CSV elsewhere.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutliersFormat>,
    /// Print the N most suspicious rows, rejected or not.
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Also write an HTML report of all rows, like `eocc report`.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Columns to copy into the output, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// Column with the names of the samples, which is not a feature; detected by default.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
For each sample: the decision, the features that contribute most with their values and usual ranges, and the nearest nominals \
by name. Strings are aligned with the nearest one, time series are shown with their matched steps, graphs with the edits \
that separate them.

Examples:
  eocc explain good.eocc new.csv                  all rejected samples
  eocc explain good.eocc new.csv --row 17
  eocc explain good.eocc new.csv --id A-231 --json")]
pub(crate) struct ExplainArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// The samples, with the features of the model; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Explain only this row, from 0 (repeatable).
    #[arg(long, value_name = "N")]
    pub(crate) row: Vec<usize>,
    /// Explain only the sample with this name (repeatable).
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Vec<String>,
    /// Explain at most N rejected samples, most suspicious first; ignored with --row or --id.
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
    /// Reject samples with a p-value of at most R, instead of the model's own rate.
    #[arg(long, value_name = "R", value_parser = share)]
    pub(crate) reject: Option<f64>,
    /// What to do with other rows that cannot be scored: stop, or skip them. By default, they are skipped, but text that is not in
    /// the expected encoding stops.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) on_bad_row: Option<OnBadRow>,
    /// Print one JSON object per line instead of text.
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
    /// For people: similar rows on one line, with the reasons in words.
    Table,
    Csv,
    Jsonl,
    Parquet,
}

impl OutliersFormat {
    /// The format of a file; none for a table.
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
Prints a line per column: its name, how it is read, why, and the option that changes it. Nothing is fitted.

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
    /// Column with the names of the samples, which is not a feature; detected by default.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Print one JSON object per line instead of a table.
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
  AUC                fraction of pairs of a nominal sample and an outlier in which the nominal one scores higher
  average precision  of finding outliers, lowest scores first
  detection rate     fraction of the outliers rejected at the threshold of the model (--reject)
  false-alarm rate   fraction of the nominal samples rejected there
Rates are over all folds and repeats. The 95 % intervals count each sample once: Newcombe's for the AUC, Wilson's for the \
rest. Seconds are processor time, dissimilarities included.

Examples:
  eocc evaluate all.csv --label class --nominal good
  eocc evaluate all.npz --label y --nominal 0 --preset paper --search none --json")]
pub(crate) struct EvaluateArgs {
    /// The data, nominal samples and outliers; `-` for standard input.
    pub(crate) data: PathBuf,
    /// Column with the classes; a TS file has its own.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The nominal class, or several separated by commas (repeatable).
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, required = true)]
    pub(crate) nominal: Vec<String>,
    /// Classes from a CSV file `name,label` next to the data.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// Column that marks training samples with `train`; the rest test, once, instead of cross-validation.
    #[arg(long, value_name = "COL", conflicts_with = "test")]
    pub(crate) split: Option<String>,
    /// Test on this file, once, instead of cross-validation.
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,
    /// Number of repeats.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) repeats: usize,
    /// Number of folds.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) folds: usize,
    /// How to score; the preset decides by default.
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
Features and channels are not scaled unless a setting says so. Normalized measures give the plain distance with \
--set normalize=false.

Examples:
  eocc distances proteins.fasta -o D.npy
  eocc distances words.csv other.csv --dissimilarity osa --set normalize=false
  eocc distances waves.ts --set band=0.1 --pairs pairs.csv
  eocc distances Letter-HIGH.tar.gz --set costs=letter --method ipfp --pairs pairs.csv --bounds
  eocc distances Letter-HIGH.tar.gz --set costs=letter --explain AP1_0000 AP1_0001")]
pub(crate) struct DistancesArgs {
    /// The samples; `-` for standard input.
    pub(crate) data: PathBuf,
    /// More samples: the matrix then has a row for each sample of DATA and a column for each of these.
    pub(crate) other: Option<PathBuf>,
    /// Where to write; the extension sets the format: NPY or CSV for a matrix, CSV, JSON Lines or Parquet for pairs. By default,
    /// CSV on standard output.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: Option<PathBuf>,
    /// The dissimilarity; chosen from the type of data by default. `eocc fit --help` lists them.
    #[arg(long, value_name = "NAME")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Compute only these pairs: a CSV file `a,b` of names or row numbers; with OTHER, `b` refers to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,
    /// Method for graph edit distances: branch-fast, bipartite, refine, ipfp or exact; short for --set method=METHOD.
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Add lower and upper bounds of graph edit distances, as the columns `lower` and `upper`.
    #[arg(long, requires = "pairs")]
    pub(crate) bounds: bool,
    /// Print the edits that turn graph A into graph B.
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["pairs", "output"])]
    pub(crate) explain: Option<Vec<String>>,
    /// Column to leave out, such as the classes.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
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
    /// The command; the whole program by default.
    pub(crate) command: Option<String>,
    /// Write the pages of all commands to this folder instead.
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
All methods run on the same folds. Every result goes to a journal at once; after an interruption, the same command resumes. \
Features are used as they are unless --standardize is given. Seconds are processor time, dissimilarities included.

Methods: default and paper (ours), eocc-1, eocc-2, gauss, mixture, naive-parzen, parzen, k-means, 1-nn, k-nn, auto-encoder, pca, \
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
    /// The nominal class, or several separated by commas (repeatable).
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, required = true)]
    pub(crate) nominal: Vec<String>,
    /// Classes from a CSV file `name,label` next to the data.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// `all`, or names separated by commas; `all,-paper` leaves one out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    pub(crate) methods: Vec<String>,
    /// Number of repeats.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) repeats: usize,
    /// Number of folds.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) folds: usize,
    /// Format of the output.
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: TableFormatName,
    /// Where to store results as they arrive; by default, a file in this folder named after the data and the settings.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Discard the results in the journal.
    #[arg(long)]
    pub(crate) restart: bool,
    /// Draw figures into this folder: for one data set, AUCs with intervals; for several, mean AUCs and mean ranks with the
    /// critical difference.
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Divide every feature by its standard deviation among the training samples.
    #[arg(long)]
    pub(crate) standardize: bool,
    /// The dissimilarity; chosen from the type of data by default.
    #[arg(long, value_name = "NAME")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// The data are square matrices of dissimilarities.
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
