//! The options of `eocc report` and `eocc plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::output;
use super::{MissingName, ReadArgs};

/// A model, and samples to show with it.
#[derive(Debug, Args)]
pub(crate) struct ModelDataArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// Samples to show next to the training samples, with the features of the model.
    pub(crate) data: Option<PathBuf>,
    /// Column of DATA with the classes; it is not a feature.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// Classes of DATA from a CSV file `name,label`.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    pub(crate) labels: Option<PathBuf>,
    /// The nominal class of DATA, or several separated by commas; all others are outliers (repeatable).
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub(crate) nominal: Vec<String>,
    /// Column with the names of the samples, which is not a feature; detected by default.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// What to do with missing values; see `eocc score --help`.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) missing: Option<MissingName>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The report is one HTML file that needs no network: a map of the samples with graph, regions and decisions, the reasons for each
decision, the threshold and its alternatives, weights, and how the model was fitted; with labels, also how well outliers are
separated. With many thousands of samples, the map draws some of them; all other figures count every sample.

Examples:
  eocc report good.eocc -o report.html                 the model and its training samples
  eocc report good.eocc new.csv -o report.html         with new samples
  eocc report good.eocc all.csv --label class --nominal good -o report.html
  eocc report soluble.eocc all.fasta --labels classes.csv --nominal soluble -o report.html
  eocc fit good.csv -o good.eocc --json > fit.json && eocc report good.eocc --fit fit.json -o report.html")]
pub(crate) struct ReportArgs {
    /// Where to write the report.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: PathBuf,
    /// The title; the names of the files by default.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Output of `eocc fit --json`: adds timings to the report, which models do not store.
    #[arg(long, value_name = "FILE")]
    pub(crate) fit: Option<PathBuf>,
    /// Reject samples of DATA with a p-value of at most R, instead of the model's own rate.
    #[arg(long, value_name = "R", value_parser = super::options::share, requires = "data")]
    pub(crate) reject: Option<f64>,
    #[command(flatten)]
    pub(crate) of: ModelDataArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Pictures are 88 mm wide, one column of most journals. Text is drawn as outlines, so no font is needed.
  map      samples in two dimensions, joined to their nearest neighbors; color is the region, size the membership
  density  how far samples fall short of the most central one of their region, with the threshold
  weights  weights of the features
  descent  the objective against the number of neighbors
  roc      rejected nominals against rejected outliers; needs DATA, --nominal, and --label or --labels

Examples:
  eocc plot good.eocc --what map -o map.pdf
  eocc plot good.eocc all.csv --label class --nominal good --what roc -o roc.svg")]
pub(crate) struct PlotArgs {
    /// What to draw.
    #[arg(long, value_enum)]
    pub(crate) what: PlotName,
    /// Where to write; the extension sets the format: SVG, PNG or PDF.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) of: ModelDataArgs,
}

/// What `eocc plot` draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlotName {
    Map,
    Density,
    Weights,
    Descent,
    Roc,
}
