//! The options of `eocc serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::options::size;

#[derive(Debug, Args)]
#[command(after_help = "\
The server speaks the Open Inference Protocol, version 2; /openapi.json describes it. Answers are those of `eocc score` on the \
same rows: score, membership, accepted, region and p_value.
  POST /v2/models/NAME/infer     score rows: protocol inputs, {\"rows\": [...]}, JSON Lines, CSV or Arrow
  POST /v2/models/NAME/explain   explain decisions
  POST /v2/repository/index      list the models; see also load and unload
  GET  /v2/health/ready          whether all models answer
  GET  /metrics                  for Prometheus

Replaced model files are reloaded: the old model answers until the new one is ready, and stays if the new file is damaged. \
TERM or Ctrl-C lets requests finish. The log goes to standard error, one JSON object per line. There is no TLS: use a proxy.

Examples:
  eocc serve good.eocc
  eocc serve pumps=models/pumps-7.eocc fans=models/fans-2.eocc --listen 127.0.0.1:9000
  eocc serve models/ --listen 0.0.0.0:8080 --token-file token.txt
  curl -s localhost:8080/v2/models/good/infer -d '{\"rows\": [{\"a\": 1.5, \"b\": 2}]}'")]
pub(crate) struct ServeArgs {
    /// Model files, as FILE or NAME=FILE, or folders, whose `.eocc` files are all served. By default, a model has the name of its
    /// file.
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) models: Vec<String>,
    /// The address to listen on. A loopback address cannot be reached from other machines.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// A file with the token that requests must send as `Authorization: Bearer TOKEN`; health checks need none.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Accept requests without a token even if the address is not a loopback address.
    #[arg(long, conflicts_with = "token_file")]
    pub(crate) allow_anonymous: bool,
    /// How long a request may wait to be batched with others. With 0, only requests that are already waiting are batched.
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = duration, help_heading = "Batching")]
    pub(crate) batch_delay: Duration,
    /// Largest number of requests in a batch; 1 turns batching off.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one, help_heading = "Batching")]
    pub(crate) batch_size: usize,
    /// Largest request body; larger ones are refused with 413.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size, help_heading = "Limits")]
    pub(crate) max_body: u64,
    /// Largest number of rows in a request; more are refused with 413.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_rows: usize,
    /// Largest number of waiting requests; more are refused with 429.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_queue: usize,
    /// Largest number of connections; more are refused with 503.
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = at_least_one, help_heading = "Limits")]
    pub(crate) max_connections: usize,
    /// Time limit for a request; slower ones are refused with 503, or 408 if the body is late.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration, help_heading = "Limits")]
    pub(crate) timeout: Duration,
    /// Time limit for a client to send the head of a request or to receive its answer, and for idle connections.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration, help_heading = "Limits")]
    pub(crate) client_timeout: Duration,
    /// Time limit for requests to finish after TERM.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration, help_heading = "Limits")]
    pub(crate) drain: Duration,
    /// Watch for drift in the background, with this file as the state of the monitor: FILE, or NAME=FILE if several models are
    /// served. It starts from the model, or resumes from the file if it exists; metrics and log report the drift statistic and
    /// events (repeatable).
    #[arg(long, value_name = "STATE")]
    pub(crate) monitor: Vec<String>,
    /// How often to look for new model files.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(crate) poll: Duration,
    /// What to log: all requests except health checks and metrics, or only failed ones.
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
