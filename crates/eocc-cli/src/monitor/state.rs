//! The state of a run: the stream, and the progress of its input and outputs.

use std::path::Path;

use anyhow::Result;
use eocc_core::file::Contents;
use eocc_core::{AnySamples, AnyStream, Error};
use serde::{Deserialize, Serialize};

/// Key of this state in the description of a model file.
const MONITOR: &str = "monitor";
/// Some samples, which give the form of further ones.
const FORM: &str = "monitor.form";

/// A stream and its progress.
pub(crate) struct State {
    pub(crate) stream: AnyStream,
    /// Samples in the form of all others.
    pub(crate) form: AnySamples,
    pub(crate) position: Position,
}

/// The progress of input and outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Samples taken from all inputs, including those that could not be scored.
    pub(crate) taken: u64,
    /// This number when the current input began.
    pub(crate) taken_before: u64,
    /// Number of the current input, from 1.
    pub(crate) input: u64,
    /// Bytes of output from the current input: of the table, and of events.
    pub(crate) bytes: [u64; 2],
    /// The last reported event.
    pub(crate) event: u64,
    /// Whether the table of the current input begins with a header.
    pub(crate) header: bool,
    /// Whether samples have names.
    pub(crate) names: bool,
}

impl State {
    /// A stream before any input.
    pub(crate) fn new(stream: AnyStream, form: AnySamples, names: bool) -> Self {
        let position =
            Position { taken: 0, taken_before: 0, input: 0, bytes: [0; 2], event: 0, header: false, names };
        Self { stream, form, position }
    }

    pub(crate) fn load(path: &Path) -> Result<Self> {
        let named = |e: Error| match e {
            e if e.is_io() => anyhow::Error::new(e),
            e => anyhow::Error::new(e).context(path.display().to_string()),
        };
        crate::request::require_file(path)?;
        let contents = Contents::load(path).map_err(named)?;
        let stream = AnyStream::from_contents(&contents).map_err(named)?;
        // A stream that was not saved by this program has no progress.
        let position = if let Some(meta) = contents.meta.get(MONITOR) {
            Position::deserialize(meta).map_err(|e| {
                let text = format!("{}: its position is not readable ({e}); start again", path.display());
                Error::input(text)
            })?
        } else {
            let event = stream.events().last().map_or(0, |event| event.id);
            let taken = stream.seen();
            Position { taken, taken_before: 0, input: 0, bytes: [0; 2], event, header: false, names: false }
        };
        let form = match contents.u8s(FORM) {
            Ok(bytes) => {
                AnySamples::from_contents(&Contents::from_bytes(bytes).map_err(named)?).map_err(named)?
            }
            Err(_) => stream.to_model().map_err(named)?.reference(),
        };
        Ok(Self { stream, form, position })
    }

    /// Saves it atomically, as a model file.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let mut contents = self.stream.to_contents()?;
        contents.meta[MONITOR] = serde_json::to_value(self.position)?;
        contents.put_u8(FORM, &self.form.to_contents().to_bytes());
        Ok(contents.save(path)?)
    }
}
