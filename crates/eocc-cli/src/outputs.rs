//! The output of a command: never one of the files it reads, and in the format given by the file name.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_core::Error;
use eocc_data::{Column, OutFormat, Output, Values};

use crate::cli::OutputFormat;
use crate::output::number;
use crate::stdout;
use crate::terminal::OneLine;

/// The files that a command reads, each with its meaning to the user.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<(&'static str, PathBuf)>);

impl Inputs {
    /// Adds a file.
    pub(crate) fn with(mut self, what: &'static str, path: &Path) -> Self {
        self.0.push((what, path.to_owned()));
        self
    }

    /// Adds an optional file.
    pub(crate) fn with_optional(self, what: &'static str, path: Option<&PathBuf>) -> Self {
        match path {
            Some(path) => self.with(what, path),
            None => self,
        }
    }

    /// Adds the files given in settings, such as a substitution matrix.
    pub(crate) fn with_settings(mut self, settings: &[String]) -> Self {
        let values = settings.iter().filter_map(|setting| setting.split_once('='));
        self.0.extend(values.map(|(_, value)| ("file of a setting", PathBuf::from(value))));
        self
    }

    /// Refuses an output that is one of the inputs, by whatever path. `option` is its name on the command line.
    pub(crate) fn refuse(&self, option: &'static str, output: &Path) -> Result<()> {
        // A missing file or a device cannot be destroyed.
        if !output.is_file() {
            return Ok(());
        }
        let input = self.0.iter().find(|(_, input)| is_read_from(output, input));
        let Some((what, input)) = input else { return Ok(()) };
        let allowed = format!("another file than the {what} {}, which it would overwrite", input.display());
        Err(Error::parameter(option, output.display(), allowed).into())
    }
}

/// Refuses two outputs to the same file, by whatever paths: the second would replace the first. Each comes with the
/// name of its option.
pub(crate) fn refuse_same(outputs: &[(&'static str, Option<&Path>)]) -> Result<()> {
    let given: Vec<(&str, &Path)> =
        outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?))).collect();
    for (at, (option, path)) in given.iter().enumerate() {
        if let Some((other, first)) = given[..at].iter().find(|(_, other)| becomes_same(path, other)) {
            let allowed =
                format!("another file than the {other} {}, which it would overwrite", first.display());
            return Err(Error::parameter(option, path.display(), allowed).into());
        }
        let stdout = Path::new("/dev/stdout");
        if cfg!(unix) && !is_open_file(path) && path.is_file() && is_same(path, stdout) {
            let allowed = "another file than the one that standard output goes to, which it would overwrite";
            return Err(Error::parameter(option, path.display(), allowed).into());
        }
    }
    Ok(())
}

/// Whether two outputs would be the same file, even if neither exists yet. A device accepts both.
fn becomes_same(a: &Path, b: &Path) -> bool {
    if a.exists() || b.exists() {
        return is_same(a, b) && a.is_file() && !is_open_file(a);
    }
    let place = |path: &Path| {
        let end = eocc_core::atomic::end_of_links(path).ok()?;
        let folder = eocc_core::atomic::folder_of(&end).canonicalize().ok()?;
        Some((folder, end.file_name()?.to_owned()))
    };
    a == b || place(a).is_some_and(|place_of_a| place(b) == Some(place_of_a))
}

/// Whether the path is an open file of this process, to which it appends.
fn is_open_file(path: &Path) -> bool {
    eocc_core::atomic::is_stdout(path) || eocc_core::atomic::is_descriptor(path)
}

/// Whether reading `input` reads the existing file `output`.
fn is_read_from(output: &Path, input: &Path) -> bool {
    if input == Path::new("-") {
        return cfg!(unix) && is_same(output, Path::new("/dev/stdin"));
    }
    if is_same(output, input) {
        return true;
    }
    if let Ok(Some(set)) = eocc_data::table_files(input) {
        return set.files.iter().any(|file| is_same(output, file));
    }
    // A folder, and a list of graphs, refer to the graphs below or next to them; other files may be written there.
    let is_list = input.extension().is_some_and(|e| e.eq_ignore_ascii_case("cxl"));
    let folder = if is_list { eocc_core::atomic::folder_of(input) } else { input.to_owned() };
    let (Ok(folder), Ok(output)) = (folder.canonicalize(), output.canonicalize()) else { return false };
    folder.is_dir() && output.starts_with(folder) && eocc_data::is_graphs(&output)
}

/// Whether two paths lead to the same file: through links, other names, or other spellings of the path.
#[cfg(unix)]
fn is_same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Whether two paths lead to the same file. The standard library cannot detect hard links here.
#[cfg(not(unix))]
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The format of an output table: the requested one, else that of the extension, else CSV.
pub(crate) fn table_format(output: Option<&Path>, asked: Option<OutputFormat>) -> Result<OutFormat> {
    let named = output.and_then(extension);
    let format = match (asked, named.as_deref()) {
        (Some(OutputFormat::Jsonl), _) | (None, Some("jsonl" | "ndjson")) => OutFormat::JsonLines,
        (Some(OutputFormat::Parquet), _) | (None, Some("parquet" | "pq")) => OutFormat::Parquet,
        (None, Some("npy" | "npz" | "json" | "xlsx")) => {
            let given = output.map(|path| path.display().to_string()).unwrap_or_default();
            return Err(Error::parameter("output", given, "a .csv, .jsonl or .parquet file").into());
        }
        (Some(OutputFormat::Csv) | None, _) => OutFormat::Csv,
    };
    Ok(format)
}

/// Warns that a table written to standard output will be lost, because standard output was closed when the program
/// started.
///
/// The standard library then replaces it by `/dev/null`, open for reading and writing. So do some programs that
/// discard output, which is why this is not an error.
pub(crate) fn refuse_closed(to: &Output) -> Result<()> {
    if *to == Output::Stdout { Ok(stdout::require()?) } else { Ok(()) }
}

/// Whether a table is for people: on a terminal, without a requested format.
pub(crate) fn is_shown(to: &Output, asked: Option<OutputFormat>) -> bool {
    *to == Output::Stdout && asked.is_none() && std::io::stdout().is_terminal()
}

/// The columns with numbers rounded to significant digits, and texts without terminal control sequences.
pub(crate) fn shown(columns: Vec<Column>) -> Vec<Column> {
    let short = |mut column: Column| {
        let name = OneLine(&column.name).to_string();
        let texts: Vec<String> = match column.values() {
            Values::Float(values) => values.iter().map(|value| number(*value)).collect(),
            Values::Cells(_) => (0..column.len()).map(|row| OneLine(&column.text(row)).to_string()).collect(),
            _ => {
                column.name = name;
                return column;
            }
        };
        let missing = (0..column.len()).map(|row| column.is_gap(row)).collect();
        Column::texts(name, texts).with_missing(missing)
    };
    columns.into_iter().map(short).collect()
}

/// The extension of a path in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}
