//! `eocc serve`: answers over HTTP.

#[cfg(not(feature = "serve"))]
pub(crate) fn run(_: &crate::cli::ServeArgs) -> anyhow::Result<std::process::ExitCode> {
    let allowed = "a command of this build, which has no server; \
                   build eocc with it: cargo install --path crates/eocc-cli --features serve";
    Err(eocc_core::Error::parameter("command", "`serve`", allowed).into())
}

#[cfg(feature = "serve")]
pub(crate) use server::run;

#[cfg(feature = "serve")]
mod server {
    use std::io::IsTerminal as _;
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;

    use anyhow::Result;
    use eocc_core::Error;
    use eocc_serve::{Batching, Config, Limits, Log, ModelSource, MonitorSource, StartError, start};

    use crate::cli::{Logged, ServeArgs};
    use crate::output::STYLE;
    use crate::{interrupt, say};

    /// Minimum length of a token.
    const SHORTEST_TOKEN: usize = 16;

    pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode> {
        let token = args.token_file.as_deref().map(token).transpose()?;
        if token.is_none() && !args.allow_anonymous && !args.listen.ip().is_loopback() {
            let allowed = "a loopback address, unless --token-file says who may ask, or --allow-anonymous that anyone may";
            return Err(Error::parameter("listen", args.listen, allowed).into());
        }
        let connections = eocc_serve::usable_connections(args.max_connections);
        if connections < args.max_connections {
            say::note(&format!(
                "{connections} connections at most, since the system allows no more open files (ulimit -n)"
            ));
        }
        let config = Config {
            listen: args.listen,
            models: args.models.iter().map(|text| source(text)).collect(),
            monitors: args.monitor.iter().map(|text| monitor(text)).collect(),
            token,
            limits: Limits {
                body: usize::try_from(args.max_body).unwrap_or(usize::MAX),
                rows: args.max_rows,
                buffered: usize::try_from(args.max_body.saturating_mul(16)).unwrap_or(usize::MAX),
                queue: args.max_queue,
                connections,
                timeout: args.timeout,
                client_timeout: args.client_timeout,
            },
            batching: Batching { delay: args.batch_delay, requests: args.batch_size },
            workers: rayon::current_num_threads(),
            poll: args.poll,
            drain: args.drain,
            logs_requests: args.log == Logged::All,
            style: STYLE,
        };
        start(config, Log::new(Box::new(std::io::stderr())), |address, stop| {
            interrupt::drain_with(move || stop.stop());
            // It would not be JSON among the lines of a log.
            if std::io::stderr().is_terminal() {
                say::line(&format!("listening on http://{address}; Ctrl-C to stop"));
            }
        })
        .map_err(|StartError { file, error }| match file {
            Some(file) => anyhow::Error::new(error).context(file.display().to_string()),
            None => error.into(),
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// A model by its file, or by name and file.
    fn source(text: &str) -> ModelSource {
        let named = text.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains(['/', '\\']));
        match named {
            Some((name, path)) if !Path::new(text).exists() => {
                ModelSource { name: Some(name.to_owned()), path: PathBuf::from(path) }
            }
            _ => ModelSource { name: None, path: PathBuf::from(text) },
        }
    }

    fn monitor(text: &str) -> MonitorSource {
        let ModelSource { name, path } = source(text);
        MonitorSource { model: name, path }
    }

    fn token(path: &Path) -> Result<String> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        let token = text.trim();
        let is_plain = token.len() >= SHORTEST_TOKEN && token.chars().all(|c| c.is_ascii_graphic());
        if !is_plain {
            let allowed = "a file with one token of 16 or more visible ASCII characters, without blanks";
            return Err(Error::parameter("token-file", path.display(), allowed).into());
        }
        Ok(token.to_owned())
    }
}
