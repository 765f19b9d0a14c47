//! The command line of `monitor`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use eocc_core::parameters::help;

use super::{MissingName, OutputFormat, ReadArgs};

#[derive(Debug, Args)]
#[command(after_help = "\
Prints a row for each sample as it arrives, with the columns of `eocc score` and
  alarm       number of the alarm that the sample raised; empty if none
Accepted samples are learned, so the model follows slow changes; with --reject above 0.02, so are rejected samples with a p-value \
above 0.02. During the warm-up, samples are learned but not scored.

When the stream changes, an alarm names the column that changed and the time of the change. Some time later, the change is \
reported as transient or lasting. With --policy guard, a lasting change, or a group of similar rejected samples, becomes a \
question: --list shows it, --confirm learns it, --dismiss forgets what was learned of it. With --policy follow, it is learned automatically.
--events writes each event as a JSON object:
  event, id, time   alarm, transient, lasting, recurred, adapted or proposal; its number; the number of samples so far
  measure, since    what changed, `oddity` or a column, and the first sample after the change
  rejected          fraction of samples rejected since then
  question, advice  whether it waits for an answer, and what you can do

STATE is a model file: `inspect`, `score`, `explain` and `report` accept it. It is saved during the run, on Ctrl-C or TERM, and at \
the end. After a crash, repeat the command with the same input and --skip-seen: samples in the state are skipped, and rows already \
in the output are not written again.

Examples:
  eocc monitor state.eocc new.csv --from good.eocc --events events.jsonl
  tail -n +1 -f metrics.csv | eocc monitor state.eocc --warm-up 500 -o answers.csv
  eocc monitor state.eocc metrics.csv --skip-seen -o answers.csv
  eocc monitor state.eocc --list
  eocc monitor state.eocc --confirm 3")]
pub(crate) struct MonitorArgs {
    /// The state file; created if it does not exist, updated otherwise.
    pub(crate) state: PathBuf,
    /// The samples; standard input by default.
    #[arg(value_name = "INPUT", default_value = "-")]
    pub(crate) data: PathBuf,
    /// Where to append the answers; standard output by default.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Output format, CSV or JSON Lines; by default, from the extension of the output file, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Where to append events, as JSON Lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Columns to copy into the output, by name or number, separated by commas; `all` for every column.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// Column with the names of the samples, which is not a feature; detected by default.
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// Column to leave out.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,
    /// What to do with a row that cannot be scored: skip it, or stop.
    #[arg(long, value_enum, value_name = "HOW", default_value = "skip")]
    pub(crate) on_bad_row: OnBadSample,
    /// What to do with missing values; see `eocc fit --help`.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) missing: Option<MissingName>,
    /// The input starts where that of the last run started: skip the samples already seen.
    #[arg(long)]
    pub(crate) skip_seen: bool,
    /// Save the state every N samples; by default, as often as saving takes at most 5 % of the time.
    #[arg(long, value_name = "N")]
    pub(crate) save_every: Option<usize>,
    /// Start from a saved model: its training samples are the first window.
    #[arg(
        long,
        value_name = "MODEL",
        help_heading = "Starting",
        conflicts_with_all = ["warm_up", "reject", "contamination", "seed", "dissimilarity", "settings"]
    )]
    pub(crate) from: Option<PathBuf>,
    /// Start from the first N samples, which are learned before any is scored; 256 by default.
    #[arg(long, value_name = "N", help_heading = "Starting")]
    pub(crate) warm_up: Option<usize>,
    /// Number of accepted samples to learn from; 512 by default.
    #[arg(long, value_name = "N", help_heading = "Starting")]
    pub(crate) window: Option<usize>,
    /// Fraction of nominal samples that you are willing to reject, in (0, 1); 0.01 by default, or that of the --from model.
    #[arg(long, value_name = "R", value_parser = super::options::fraction, help_heading = "Starting")]
    pub(crate) reject: Option<f64>,
    #[arg(long, value_name = "C", value_parser = super::options::fraction, help_heading = "Starting", help = help("contamination"))]
    pub(crate) contamination: Option<f64>,
    /// The dissimilarity; chosen from the type of data by default. All are listed at the end of `eocc fit --help`.
    #[arg(long, value_name = "NAME", help_heading = "Starting")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Starting")]
    pub(crate) settings: Vec<String>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", help_heading = "Starting")]
    pub(crate) seed: Option<u64>,
    /// What to do when the stream has changed for good: report it and wait for an answer, or learn it.
    #[arg(long, value_enum, help_heading = "Changes")]
    pub(crate) policy: Option<PolicyName>,
    /// Upper bound on the expected false alarms per sample; 1e-4 by default.
    #[arg(long, value_name = "RATE", conflicts_with = "ever", help_heading = "Changes")]
    pub(crate) alarm_rate: Option<f64>,
    /// Upper bound on the probability that there is ever a false alarm, instead of a rate.
    #[arg(long, value_name = "P", help_heading = "Changes")]
    pub(crate) ever: Option<f64>,
    /// Number of samples after which a change is reported as transient or lasting; 64 by default.
    #[arg(long, value_name = "N", help_heading = "Changes")]
    pub(crate) settle: Option<usize>,
    /// Show open questions and the latest events.
    #[arg(long, conflicts_with_all = ["confirm", "dismiss"], help_heading = "Questions")]
    pub(crate) list: bool,
    /// Answer a question: the samples are nominal; learn them.
    #[arg(long, value_name = "ID", conflicts_with = "dismiss", help_heading = "Questions")]
    pub(crate) confirm: Option<u64>,
    /// Answer a question: the samples are not nominal; forget what was learned since the change.
    #[arg(long, value_name = "ID", help_heading = "Questions")]
    pub(crate) dismiss: Option<u64>,
    /// With --list, print one JSON object per line instead of text.
    #[arg(long, requires = "list", help_heading = "Questions")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// What happens when the stream has changed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// Report it, and wait for an answer. Meanwhile, accepted samples are still learned, but the threshold cannot rise; --dismiss
    /// removes them again.
    Guard,
    /// Learn it.
    Follow,
}

/// What happens to samples that cannot be scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnBadSample {
    Skip,
    Error,
}
