//! The command line of `monitor`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use eocc_core::parameters::help;

use super::{MissingName, OutputFormat, ReadArgs};

#[derive(Debug, Args)]
#[command(after_help = "\
Each sample gives one output row as it comes, with the columns of `eocc score` and
  alarm       the alarm that the sample set off, by its number; empty if none
Samples that are accepted are learned, so that the model follows slow changes. While it warms up it learns and judges nothing.

When the stream changes there is an alarm, with the column that changed and since when. Some time later it is clear whether the change was
transient or lasts. With --policy guard a lasting change, or a group of rejected samples that are alike, is a question: `--list` shows it,
`--confirm` learns it, `--dismiss` does not. With --policy follow it is learned by itself. --events writes all of it, a JSON object a line:
  event, id, time   alarm, transient, lasting, recurred, adapted or proposal; its number; how many samples had come
  measure, since    what changed, `oddity` or a column, and since which sample
  rejected          the share of samples rejected since then
  question, advice  whether it waits for an answer, and what a person may do

STATE is a model file, which `inspect`, `score`, `explain` and `report` take. It is saved as the stream goes on, on Ctrl-C or TERM, and at the end. After a
crash give the same input again with --skip-seen: what was seen is passed over, and what is already in the output is not written again.

Examples:
  eocc monitor state.eocc new.csv --from good.eocc --events events.jsonl
  tail -f metrics.csv | eocc monitor state.eocc --warm-up 500 -o answers.csv
  eocc monitor state.eocc metrics.csv --skip-seen -o answers.csv
  eocc monitor state.eocc --list
  eocc monitor state.eocc --confirm 3")]
pub(crate) struct MonitorArgs {
    /// The state to go on from, and to save; made if it is not there.
    pub(crate) state: PathBuf,
    /// The samples; standard input unless given.
    #[arg(value_name = "INPUT", default_value = "-")]
    pub(crate) data: PathBuf,
    /// Start from a saved model: its training samples are the first window, and what it accepts stays so.
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["warm_up", "reject", "contamination", "seed", "dissimilarity", "settings"])]
    pub(crate) from: Option<PathBuf>,
    /// Start from the first samples: so many are learned before any is judged; 256 unless given.
    #[arg(long, value_name = "N")]
    pub(crate) warm_up: Option<usize>,
    /// How many accepted samples are learned from; 512 unless given.
    #[arg(long, value_name = "N")]
    pub(crate) window: Option<usize>,
    /// What to do when the stream has changed for good: report it and wait for an answer, or learn it.
    #[arg(long, value_enum)]
    pub(crate) policy: Option<PolicyName>,
    /// Expected false alarms per sample, at most, if nothing changes; 1e-4 unless given.
    #[arg(long, value_name = "RATE", conflicts_with = "ever")]
    pub(crate) alarm_rate: Option<f64>,
    /// The probability of ever alarming falsely, at most, instead of a rate.
    #[arg(long, value_name = "P")]
    pub(crate) ever: Option<f64>,
    /// After how many samples it is decided whether a change lasts; 64 unless given.
    #[arg(long, value_name = "N")]
    pub(crate) settle: Option<usize>,
    #[arg(long, value_name = "R", help = help("reject"))]
    pub(crate) reject: Option<f64>,
    #[arg(long, value_name = "C", help = help("contamination"))]
    pub(crate) contamination: Option<f64>,
    /// The dissimilarity; chosen from the type of data unless given. See `eocc fit --help`.
    #[arg(long, value_name = "NAME")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity. May be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Where to append events, as JSON Lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Where to append the answers; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the answers: CSV or JSON Lines; by the extension of the output file unless given, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// The input starts where that of the last run started: pass over the samples that were seen.
    #[arg(long)]
    pub(crate) skip_seen: bool,
    /// Save the state after so many samples; so that it takes a twentieth of the time unless given.
    #[arg(long, value_name = "N")]
    pub(crate) save_every: Option<usize>,
    /// Show the questions that are open and the latest events.
    #[arg(long, conflicts_with_all = ["confirm", "dismiss"])]
    pub(crate) list: bool,
    /// Answer a question: it is nominal, and learned.
    #[arg(long, value_name = "ID", conflicts_with = "dismiss")]
    pub(crate) confirm: Option<u64>,
    /// Answer a question: it is not nominal.
    #[arg(long, value_name = "ID")]
    pub(crate) dismiss: Option<u64>,
    /// With --list, print one JSON object a line instead of text.
    #[arg(long, requires = "list")]
    pub(crate) json: bool,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// The column with the names of the samples, which is no feature; found out unless given.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Columns to carry along, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// What to do with missing values; see `eocc fit --help`.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) missing: Option<MissingName>,
    /// What to do with a row that cannot be judged: go on without it, or stop.
    #[arg(long, value_enum, value_name = "HOW", default_value = "skip")]
    pub(crate) on_bad_row: OnBadSample,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// What happens when the stream has changed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// Report it, and wait for an answer.
    Guard,
    /// Learn it.
    Follow,
}

/// What becomes of samples that cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBadSample {
    Skip,
    Error,
}
