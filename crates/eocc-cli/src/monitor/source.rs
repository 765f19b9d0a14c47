//! Samples of a stream, as they arrive.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_core::stream::MIN_WARM_UP;
use eocc_core::{AnySamples, AnyStream, Error};
use eocc_data::{Batch, Batches, Dataset, Missing, ModelReader, ReadRequest, Reading, RowsRead, is_stored};

use super::state::State;
use crate::output::counted;
use crate::{interrupt, request, say};

/// Where samples come from, and the read request.
pub(crate) struct Source {
    path: PathBuf,
    batches: Batches,
    /// Batches that were read ahead to detect columns, and are still to be processed.
    held: VecDeque<Batch>,
}

/// Samples to follow, some of which were seen before.
pub(crate) struct Input {
    source: Source,
    reader: ModelReader,
    /// Samples still to be skipped.
    skip: u64,
    has_shown: bool,
    pub(crate) bad: usize,
    pub(crate) first_bad: Option<String>,
}

impl Source {
    pub(crate) fn open(path: &Path, request: &ReadRequest) -> Result<Self> {
        let batches = Batches::open(path, request)?;
        Ok(Self { path: path.to_owned(), batches, held: VecDeque::new() })
    }

    /// Reads ahead until there are enough samples for the warm-up of a stream, and returns their form. At the end of
    /// the input, or on cancellation, fewer suffice.
    pub(crate) fn look_ahead(&mut self, wanted: usize, request: &ReadRequest) -> Result<Dataset> {
        let rows_for = |samples: usize| match &request.windows {
            Some(windows) => (samples - 1) * windows.step + windows.length,
            None => samples,
        };
        let mut needed = rows_for(wanted);
        let mut rows = 0;
        loop {
            let is_over = rows < needed && !self.hold(&mut rows)?;
            if rows < needed && !is_over {
                continue;
            }
            // The same rows decide, however many arrived at a time.
            let data = Batch::training(self.held.make_contiguous(), needed, request).transpose();
            let data = data.ok_or_else(|| too_few(0))?;
            if is_over {
                let data = data?;
                return if data.count() < MIN_WARM_UP { Err(too_few(data.count())) } else { Ok(data) };
            }
            let count = data.as_ref().map_or(0, Dataset::count);
            if count >= wanted {
                return Ok(data?);
            }
            needed += (rows_for(wanted) - rows_for(count.max(1))).max(1);
        }
    }

    /// Reads one more batch ahead; false if there is none.
    fn hold(&mut self, rows: &mut usize) -> Result<bool> {
        match self.batches.next() {
            Ok(Some(batch)) => {
                *rows += batch.rows().len();
                self.held.push_back(batch);
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(e) if e.is_cancelled() && interrupt::is_interrupted() => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        match self.held.pop_front() {
            Some(batch) => Ok(Some(batch)),
            None => Ok(self.batches.next()?),
        }
    }
}

fn too_few(count: usize) -> anyhow::Error {
    Error::input(format!(
        "there are {} to warm up with, but at least {MIN_WARM_UP} are needed; give more, or start from a model with --from",
        counted(count, "sample")
    ))
    .into()
}

impl Input {
    /// Reads samples for a state, skipping those taken before if the input repeats them.
    pub(crate) fn new(source: Source, state: &State, request: ReadRequest, skips_seen: bool) -> Result<Self> {
        let reader = reader(&state.stream, &state.form, request, &source.path, state.position.names)?;
        let skip = if skips_seen { state.position.taken - state.position.taken_before } else { 0 };
        Ok(Self { source, reader, skip, has_shown: false, bad: 0, first_bad: None })
    }

    /// The next samples; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Dataset>> {
        loop {
            let Some(mut batch) = self.source.next()? else { return Ok(None) };
            let RowsRead { data, bad } = batch.read(&mut self.reader)?;
            for bad in bad {
                self.bad += 1;
                self.first_bad.get_or_insert_with(|| bad.error.to_string());
            }
            let Some(data) = data else { continue };
            if !std::mem::replace(&mut self.has_shown, true) {
                request::show(&data.notes);
            }
            let count = data.count() as u64;
            let passed = self.skip.min(count);
            self.skip -= passed;
            if passed < count {
                let rest: Vec<usize> = (passed as usize..data.count()).collect();
                return Ok(Some(if passed == 0 { data } else { data.select(&rest) }));
            }
        }
    }

    /// Whether a run may stop here. Samples of a pipe that were read ahead must not be lost; those of a file can be read again.
    pub(crate) fn may_stop(&self) -> bool {
        self.source.held.is_empty() || is_stored(&self.source.path)
    }

    /// Records a sample that could not be scored.
    pub(crate) fn note_bad(&mut self, message: String) {
        self.bad += 1;
        self.first_bad.get_or_insert(message);
    }

    /// Reports samples that could not be read or judged, and those that should have been repeated.
    pub(crate) fn say(&self) {
        if self.skip > 0 {
            say::warning(&format!(
                "the input ended {} before the last one that was seen: is it the same input?",
                counted(usize::try_from(self.skip).unwrap_or(usize::MAX), "sample")
            ));
        }
        if let Some(first) = &self.first_bad {
            say::warning(&format!("{} could not be scored; the first: {first}", counted(self.bad, "row")));
        }
    }
}

/// Reads further samples like the first ones.
fn reader(
    stream: &AnyStream,
    form: &AnySamples,
    request: ReadRequest,
    path: &Path,
    has_names: bool,
) -> Result<ModelReader> {
    let reading = Reading::of_kept(stream.reading())?;
    // As when the stream was started. It does the imputing itself, since its typical values change with the window.
    let missing = match (reading.missing(), request.missing) {
        (Some(Missing::Error), Some(Missing::Drop)) => Missing::Drop,
        (known, _) => known.unwrap_or(Missing::Distance),
    };
    let request = ReadRequest { missing: Some(missing), unnamed: !has_names, ..request };
    let request = reading.complete(request, Some(path));
    Ok(ModelReader::new(form.layout(), request))
}
