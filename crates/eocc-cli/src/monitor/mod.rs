//! Following a stream: input, judging, output and state, so that a killed run can be resumed.
//!
//! The state is saved atomically and contains the number of samples taken from the input and the number of output
//! bytes they produced. Output is written before the state is saved, so after a kill it is ahead of the state. A run
//! with `--skip-seen` computes the same bytes again, since the same samples give the same decisions, and drops those
//! already written: for an output file, its length gives their number; for a pipe, the journal does (`lock`).

pub(crate) mod events;
pub(crate) mod follow;
pub(crate) mod lock;
pub(crate) mod sink;
pub(crate) mod source;
pub(crate) mod state;
