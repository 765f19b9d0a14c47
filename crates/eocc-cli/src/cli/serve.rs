//! The options of `eocc serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::options::size;

#[derive(Debug, Args)]
#[command(after_help = "\
The server speaks the Open Inference Protocol, version 2; /openapi.json describes it. Each answer holds what `eocc score` says of
the same rows: score, membership, accepted, region and p_value.
  POST /v2/models/NAME/infer     judge rows: inputs of the protocol, {\"rows\": [...]}, JSON Lines, CSV or Arrow
  POST /v2/models/NAME/explain   say why
  POST /v2/repository/index      list the models; load and unload are next to it
  GET  /v2/health/ready          whether all models answer
  GET  /metrics                  for Prometheus

A model file that is replaced is loaded; the old model answers until the new one is ready, and stays if the new file is
damaged. TERM, or Ctrl-C, lets requests finish. The log goes to standard error, a JSON object per line. There is no TLS:
leave that to a proxy.

Examples:
  eocc serve good.eocc
  eocc serve pumps=models/pumps-7.eocc fans=models/fans-2.eocc --listen 127.0.0.1:9000
  eocc serve models/ --listen 0.0.0.0:8080 --token-file token.txt
  curl -s localhost:8080/v2/models/good/infer -d '{\"rows\": [{\"a\": 1.5, \"b\": 2}]}'")]
pub(crate) struct ServeArgs {
    /// Model files, each by itself or as NAME=FILE; or folders, whose `.eocc` files are all served. The name of a model is that of
    /// its file unless given.
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) models: Vec<String>,
    /// The address to listen on. Other machines can reach only what is not a loopback address.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// A file with the token that requests must show as `Authorization: Bearer TOKEN`; health checks need none.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Let anyone ask who can reach the address, also if that is not a loopback address.
    #[arg(long, conflicts_with = "token_file")]
    pub(crate) allow_anonymous: bool,
    /// How long a request may wait for others to be judged with. With 0, only requests that wait anyway are taken together.
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = duration, help_heading = "Batching")]
    pub(crate) batch_delay: Duration,
    /// The most requests that are judged together; 1 for each by itself.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one, help_heading = "Batching")]
    pub(crate) batch_size: usize,
    /// The largest body; larger ones are refused with 413.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size, help_heading = "Limits")]
    pub(crate) max_body: u64,
    /// The most rows in a request; more are refused with 413.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_rows: usize,
    /// The most requests that wait; more are refused with 429.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_queue: usize,
    /// The most connections; more are refused with 503.
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_connections: usize,
    /// How long a request may take; those that take longer are refused with 503, or 408 if the body is late.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration, help_heading = "Limits")]
    pub(crate) timeout: Duration,
    /// How long a client may take to send the head of a request or to take its answer, and how long it may be idle.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration, help_heading = "Limits")]
    pub(crate) client_timeout: Duration,
    /// How long requests may take to finish after TERM.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration, help_heading = "Limits")]
    pub(crate) drain: Duration,
    /// Watch in the background whether rows are still like those the model was fitted on: the file of the monitor's state, as FILE, or as
    /// NAME=FILE where several models are served. It starts from the model, or goes on from the file if it exists; the drift statistic and
    /// events are in the metrics and the log. May be given more than once.
    #[arg(long, value_name = "STATE")]
    pub(crate) monitor: Vec<String>,
    /// How often to look for new model files.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(crate) poll: Duration,
    /// What to log: all requests but health checks and metrics, or only those that fail.
    #[arg(long, value_enum, value_name = "WHAT", default_value = "all")]
    pub(crate) log: Logged,
}

/// Which requests are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Logged {
    All,
    Errors,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "must be a whole number from 1".to_owned())
}

/// A time with its unit.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "must be a number with a unit, such as `2ms`, `1.5s` or `1m`".to_owned();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "" if number == "0" => 0.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds)
        .ok()
        .filter(|time| *time < Duration::from_secs(86_400))
        .ok_or_else(|| "must be less than a day".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("2ms"), Ok(Duration::from_millis(2)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("0"), Ok(Duration::ZERO));
        for wrong in ["", "2", "ms", "-1s", "1h", "1e9m", "99999m"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
