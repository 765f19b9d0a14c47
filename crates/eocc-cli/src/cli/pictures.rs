//! What there is to say to `eocc report` and `eocc plot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{MissingName, ReadArgs};

/// A model, and samples to show with it.
#[derive(Debug, Args)]
pub(crate) struct ModelDataArgs {
    /// The saved model.
    pub(crate) model: PathBuf,
    /// Samples to show beside those of the training, with the features of the model.
    pub(crate) data: Option<PathBuf>,
    /// Column of DATA with the classes; it is not a feature.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The class of DATA that is nominal, or several with commas between them; others are outliers. May be given more than once.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub(crate) nominal: Vec<String>,
    /// The column with the names of the samples, which is no feature; found out unless given.
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
The page is one file that needs no network: a map of the samples with their graph, regions and decisions, why each is judged
so, where the threshold lies and what another one would accept, weights, and how the model was found; with labels, also how
well outliers are told from nominals. Of many thousands of samples some are drawn, and all are counted.

Examples:
  eocc report good.eocc -o report.html                 the model and its training samples
  eocc report good.eocc new.csv -o report.html         new samples beside them
  eocc report good.eocc all.csv --label class --nominal good -o report.html
  eocc fit good.csv -o good.eocc --json > fit.json && eocc report good.eocc --fit fit.json -o report.html")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) of: ModelDataArgs,
    /// Where to write the page.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The heading; the names of the files unless given.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// What `eocc fit --json` has printed: the page then tells what the fit took. Models do not keep that, so that the same seed
    /// gives the same file.
    #[arg(long, value_name = "FILE")]
    pub(crate) fit: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Pictures are 88 mm wide, a column of most journals; letters are outlines, so that no font is missing anywhere.
  map      samples in two dimensions, joined to their nearest neighbours; colour is the region, size the membership
  density  how far samples fall short of the most central one of their region, and up to where they are accepted
  weights  weights of the features
  descent  the objective against the number of neighbours
  roc      shares of nominals and outliers rejected; needs DATA, --label and --nominal

Examples:
  eocc plot good.eocc --what map -o map.pdf
  eocc plot good.eocc all.csv --label class --nominal good --what roc -o roc.svg")]
pub(crate) struct PlotArgs {
    #[command(flatten)]
    pub(crate) of: ModelDataArgs,
    /// What to draw.
    #[arg(long, value_enum)]
    pub(crate) what: PlotName,
    /// Where to write, as its extension says: SVG, PNG or PDF.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
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
