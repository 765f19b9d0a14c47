//! Following a stream: what is read, judged, written and kept, so that a killed run is taken up where it ended.
//!
//! The state is saved atomically and says how many samples were taken from the input and how many bytes of output they gave. Output is written
//! before the state is saved, so after a kill it is ahead of the state. A run with `--skip-seen` computes the same bytes again,
//! since the same samples give the same answers, and drops those that are already written: an output file says by its length how many these
//! are, for a pipe the journal does (`lock`).

pub(crate) mod events;
pub(crate) mod follow;
pub(crate) mod lock;
pub(crate) mod sink;
pub(crate) mod source;
pub(crate) mod state;
