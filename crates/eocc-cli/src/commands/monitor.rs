//! `eocc monitor`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::error::{ErrorKind, ParameterFault};
use eocc_core::stream::{AlarmRate, EventKind, Policy, StreamParams};
use eocc_core::{AnyStream, Error, Preset, Threshold};
use eocc_data::{Missing, OutFormat, ReadRequest, Reading};

use crate::cli::{MissingName, MonitorArgs, OnBadRow, OnBadSample, PolicyName};
use crate::judging::skipping;
use crate::monitor::events::{json_of, line_of};
use crate::monitor::follow::{Run, Saving, Totals, refuse};
use crate::monitor::lock::{Journal, Lock};
use crate::monitor::sink::Sink;
use crate::monitor::source::{Input, Source};
use crate::monitor::state::State;
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::{interrupt, output, request, say};

/// Maximum number of events that `--list` shows besides open questions.
const MAX_LISTED: usize = 10;

pub(crate) fn run(args: &MonitorArgs) -> Result<ExitCode> {
    match (args.list, args.confirm, args.dismiss) {
        (true, ..) => list(args),
        (_, Some(id), _) => answer(args, id, true),
        (_, _, Some(id)) => answer(args, id, false),
        _ => follow(args),
    }
}

fn follow(args: &MonitorArgs) -> Result<ExitCode> {
    let inputs = Inputs::default().with("input", &args.data).with_optional("model", args.from.as_ref());
    for (option, path) in
        [("state", Some(&args.state)), ("output", args.output.as_ref()), ("events", args.events.as_ref())]
    {
        if let Some(path) = path {
            inputs.refuse(option, path)?;
        }
    }
    outputs::refuse_same(&[
        ("state", Some(&args.state)),
        ("output", args.output.as_deref()),
        ("events", args.events.as_deref()),
    ])?;
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    if format == OutFormat::Parquet {
        return Err(refuse("format", "parquet", "csv or jsonl, which can grow line by line"));
    }
    let there = There::before(args);
    let lock = Lock::take(&args.state)?;
    let done = follow_locked(args, format, lock);
    if done.is_err() {
        there.restore(args);
    }
    done
}

/// Which files are there before a run.
struct There {
    state: bool,
    /// The table and the events.
    outputs: [bool; 2],
}

impl There {
    fn before(args: &MonitorArgs) -> Self {
        let is_there = |path: &Option<PathBuf>| path.as_ref().is_none_or(|path| path.exists());
        Self { state: args.state.exists(), outputs: [is_there(&args.output), is_there(&args.events)] }
    }

    /// Removes the files that a run created before it failed without any sample.
    fn restore(&self, args: &MonitorArgs) {
        if self.state {
            return;
        }
        let Ok(lock) = Lock::take(&args.state) else { return };
        let is_begun =
            args.state.exists() && State::load(&args.state).map_or(true, |state| state.stream.seen() > 0);
        if is_begun {
            return;
        }
        let _ = std::fs::remove_file(&args.state);
        for (path, was_there) in [&args.output, &args.events].into_iter().zip(self.outputs) {
            if let Some(path) = path.as_ref().filter(|_| !was_there)
                && path.is_file()
            {
                let _ = std::fs::remove_file(path);
            }
        }
        lock.remove();
    }
}

fn follow_locked(args: &MonitorArgs, format: OutFormat, mut lock: Lock) -> Result<ExitCode> {
    let is_new = !args.state.exists();
    let read = read_request(args)?;
    let (mut state, source) = start(args, &read)?;
    let journal =
        lock.journal().filter(|(journal, _)| args.skip_seen && journal.input == state.position.input);
    if !args.skip_seen || state.position.input == 0 {
        state.position.input += 1;
        state.position.bytes = [0; 2];
        if !args.skip_seen {
            state.position.taken_before = state.position.taken;
        }
    }
    let before = |output: usize| {
        let (journal, paths) = journal.as_ref()?;
        Some((journal.outputs[output], paths[output].as_deref()))
    };
    let table = Sink::open(args.output.as_deref(), before(0), state.position.bytes[0])?;
    let events = match &args.events {
        Some(path) => Some(Sink::open(Some(path), before(1), state.position.bytes[1])?),
        None => None,
    };
    if journal.is_none() && state.position.bytes[0] == 0 {
        state.position.header = table.is_empty();
    }
    let needs_header = state.position.header && state.position.bytes[0] == 0 && format == OutFormat::Csv;
    let progress = |sink: Option<&Sink>| sink.map(Sink::progress).unwrap_or_default();
    let journal =
        Journal { input: state.position.input, outputs: [progress(Some(&table)), progress(events.as_ref())] };
    let paths = [table.path(), events.as_ref().and_then(Sink::path)];
    lock.begin(&journal, paths.each_ref().map(Option::as_deref))?;
    let mut input = Input::new(source, &state, read, args.skip_seen)?;
    let (path, on_bad, saving) = (args.state.clone(), args.on_bad_row, Saving::new(args.save_every));
    let totals = Totals::default();
    let mut run =
        Run { state, path, lock, journal, table, events, format, needs_header, on_bad, saving, totals };
    let is_stopped = run.follow(&mut input)?;
    if let Some(first) =
        input.first_bad.as_ref().filter(|_| is_new && !is_stopped && run.state.stream.seen() == 0)
    {
        return Err(Error::input(format!("no row could be scored; the first: {first}")).into());
    }
    input.say();
    summarize(args, &run);
    let Run { lock, table, events, .. } = run;
    // If a killed run had written more than the state records, and this run was stopped before that point, only the
    // journal knows.
    if !table.is_ahead() && !events.is_some_and(|events| events.is_ahead()) {
        lock.remove();
    }
    Ok(if is_stopped { ExitCode::from(interrupt::code()) } else { ExitCode::SUCCESS })
}

fn summarize(args: &MonitorArgs, run: &Run) {
    let Totals { judged, rejected, alarms } = run.totals;
    let stream = &run.state.stream;
    say::line(&format!(
        "{rejected} of {} rejected, {}; {} seen so far",
        counted(judged, "sample"),
        counted(alarms, "alarm"),
        stream.seen()
    ));
    if stream.is_warming_up() {
        say::note(&format!(
            "still warming up, with {} of {}",
            stream.window_size(),
            counted(stream.params().warm_up, "sample")
        ));
    }
    let open = stream.questions().len();
    if open > 0 {
        let state = request::quoted(&args.state.display().to_string());
        say::line(&format!("{} open: eocc monitor {state} --list", counted(open, "question")));
    }
}

/// The read request given by the options.
fn read_request(args: &MonitorArgs) -> Result<ReadRequest> {
    let read = request::read_request(&args.read, args.id.as_ref(), args.dissimilarity.as_deref())?;
    let on_bad_row = match args.on_bad_row {
        OnBadSample::Skip => OnBadRow::Skip,
        OnBadSample::Error => OnBadRow::Error,
    };
    let missing = args.missing.map(request::missing_named);
    let read = ReadRequest { label: args.label.clone(), keep: args.keep.clone(), missing, ..read };
    Ok(skipping(read, on_bad_row))
}

/// The state to resume from, or a new one, and the input.
fn start(args: &MonitorArgs, read: &ReadRequest) -> Result<(State, Source)> {
    if args.state.exists() {
        let state = State::load(&args.state)?;
        let reading = Reading::of_kept(state.stream.reading())?;
        warn_of_others(args, state.stream.params(), &reading);
        say::note(&format!("going on after {}", counted(state.stream.seen() as usize, "sample")));
        let source = Source::open(&args.data, &reading.complete(read.clone(), Some(&args.data)))?;
        return Ok((state, source));
    }
    let mut params = params(args);
    if let Some(path) = &args.from {
        let model = request::load(path)?;
        params.one_class = model.params().clone();
        params.check().map_err(as_options)?;
        let count = model.reference().count();
        if count > params.window {
            say::note(&format!(
                "starts from {} of {} of the model, evenly spaced (--window)",
                params.window,
                counted(count, "sample")
            ));
        }
        let mut reading = Reading::of_model(&model)?;
        if let Some(missing) = read.missing {
            reading = reading.with_missing(missing);
        }
        params.impute = reading.missing() == Some(Missing::Impute);
        let mut stream = AnyStream::from_model(params, &model)?;
        stream.set_reading(reading.kept());
        let source = Source::open(&args.data, &reading.complete(read.clone(), Some(&args.data)))?;
        let has_names = !model.names().is_empty();
        return Ok((State::new(stream, first_of(&model.reference()), has_names), source));
    }
    params.check().map_err(as_options)?;
    let mut source = Source::open(&args.data, read)?;
    let training = ReadRequest {
        missing: read.missing.or(Some(Missing::Distance)),
        skip_bad_rows: false,
        ..read.clone()
    };
    params.impute = training.missing == Some(Missing::Impute);
    let data = source.look_ahead(params.warm_up, &training)?;
    request::show(&data.notes);
    let settings = request::settings(&args.settings)?;
    let measure = data.samples.measure(Preset::Default, args.dissimilarity.as_deref(), &settings)?;
    let mut stream = data.samples.kind().stream(params, measure)?;
    stream.set_reading(Reading::new(&training, &data).kept());
    Ok((State::new(stream, first_of(&data.samples), data.names.is_some()), source))
}

/// A sample in the form of all.
fn first_of(samples: &eocc_core::AnySamples) -> eocc_core::AnySamples {
    samples.select(&(0..samples.count().min(2)).collect::<Vec<_>>())
}

fn params(args: &MonitorArgs) -> StreamParams {
    let mut params = StreamParams::default();
    let mut one_class = params.one_class.clone();
    if let Some(share) = args.contamination {
        one_class.threshold = Threshold::Contamination;
        one_class = one_class.contamination(share);
    }
    if let Some(share) = args.reject {
        one_class = one_class.reject(share);
    }
    if let Some(seed) = args.seed {
        one_class = one_class.seed(seed);
    }
    params.one_class = one_class;
    params.window = args.window.unwrap_or(params.window);
    // A small window is learned entirely before any sample is judged.
    params.warm_up = args.warm_up.unwrap_or(params.warm_up.min(params.window));
    params.settle = args.settle.unwrap_or(params.settle.min(params.window / 2));
    if let Some(policy) = args.policy {
        params.policy = policy_of(policy);
    }
    if let Some(rate) = args.alarm_rate {
        params.alarm_rate = AlarmRate::PerObservation(rate);
    }
    if let Some(share) = args.ever {
        params.alarm_rate = AlarmRate::Ever(share);
    }
    params
}

/// Parameters named as on the command line.
fn as_options(error: Error) -> Error {
    let ErrorKind::Parameter(faults) = error.kind() else { return error };
    let named = |fault: &ParameterFault| ParameterFault {
        name: format!("--{}", fault.name.replace('_', "-")),
        allowed: fault.allowed.replace("the window", "--window"),
        ..fault.clone()
    };
    ErrorKind::Parameter(faults.iter().map(named).collect()).into()
}

fn policy_of(name: PolicyName) -> Policy {
    match name {
        PolicyName::Guard => Policy::Guard,
        PolicyName::Follow => Policy::Follow,
    }
}

/// The choices made when the state was created take precedence; warns if the command line differs.
fn warn_of_others(args: &MonitorArgs, known: &StreamParams, reading: &Reading) {
    let reject = match known.one_class.threshold {
        Threshold::Reject(share) => Some(share),
        _ => None,
    };
    let (rate, ever) = match known.alarm_rate {
        AlarmRate::PerObservation(rate) => (Some(rate), None),
        AlarmRate::Ever(share) => (None, Some(share)),
    };
    let text = |value: Option<f64>| value.map(|v| v.to_string());
    let count = |value: Option<usize>| value.map(|v| v.to_string());
    let missing = args.missing.map(|missing| match missing {
        MissingName::Distance => "distance".to_owned(),
        MissingName::Impute => "impute".to_owned(),
        // The state does not distinguish them.
        MissingName::Drop | MissingName::Error => "error".to_owned(),
    });
    let asked = [
        ("window", count(args.window), Some(known.window.to_string())),
        ("warm-up", count(args.warm_up), Some(known.warm_up.to_string())),
        ("settle", count(args.settle), Some(known.settle.to_string())),
        ("policy", args.policy.map(|p| policy_of(p).name().to_owned()), Some(known.policy.name().to_owned())),
        ("alarm-rate", text(args.alarm_rate), text(rate)),
        ("ever", text(args.ever), text(ever)),
        ("reject", text(args.reject), text(reject)),
        ("contamination", text(args.contamination), text(known.one_class.contamination)),
        ("missing", missing, Some(reading.missing_word().unwrap_or("distance").to_owned())),
        ("seed", args.seed.map(|seed| seed.to_string()), Some(known.one_class.seed.to_string())),
    ];
    for (option, asked, known) in asked {
        if asked.is_some() && asked != known {
            let known = known.map_or_else(|| "has none".to_owned(), |known| format!("has {known}"));
            say::warning(&format!("--{option} does not count: the state {known}, as it was started"));
        }
    }
}

/// Shows open questions and the latest events.
fn list(args: &MonitorArgs) -> Result<ExitCode> {
    let state = State::load(&args.state)?;
    let events = state.stream.events();
    let latest = events.len().saturating_sub(MAX_LISTED);
    let shown = events.iter().enumerate().filter(|(at, event)| args.json || event.is_open() || *at >= latest);
    let mut lines = Vec::new();
    for (_, event) in shown {
        if args.json {
            let mut value = json_of(event);
            value["open"] = event.is_open().into();
            value["answer"] = serde_json::to_value(event.answer)?;
            lines.push(value.to_string());
        } else {
            let mark = if event.is_open() { "open    " } else { "        " };
            let now = state.stream.samples_of(event.id).map(|times| times.len());
            let now = now.filter(|now| event.is_open() && event.samples != Some(*now));
            let now =
                now.map_or_else(String::new, |now| format!(" Now it is about {}.", counted(now, "sample")));
            lines.push(format!("{mark}{}{now}", line_of(event)));
        }
    }
    if lines.is_empty() && !args.json {
        lines.push("nothing has happened".to_owned());
    }
    for line in lines {
        output::line(&line)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers a question.
fn answer(args: &MonitorArgs, id: u64, is_nominal: bool) -> Result<ExitCode> {
    let mut lock = Lock::take(&args.state)?;
    let mut state = State::load(&args.state)?;
    let event = state.stream.events().into_iter().find(|event| event.id == id);
    let since = event.filter(|event| event.kind == EventKind::Lasting).and_then(|event| event.since);
    let learned = since.map_or(0, |since| state.stream.learned_since(since));
    if is_nominal {
        state.stream.confirm(id)?;
    } else {
        state.stream.dismiss(id)?;
    }
    state.save(&args.state)?;
    let forgotten = learned.saturating_sub(since.map_or(0, |since| state.stream.learned_since(since)));
    let word = match forgotten {
        _ if is_nominal => format!("confirmed {id}"),
        0 => format!("dismissed {id}"),
        count => format!("dismissed {id} and forgot {} learned since the change", counted(count, "sample")),
    };
    say::line(&format!("{word}; {} open", counted(state.stream.questions().len(), "question")));
    if !is_nominal && learned > 0 && forgotten == 0 {
        say::warning(&format!(
            "{} learned since the change stay, as there were too few before it; start again from a model with --from to be without them",
            counted(learned, "sample")
        ));
    }
    for event in state.stream.events().iter().filter(|event| event.id > state.position.event) {
        say::line(&line_of(event));
    }
    // A killed run has left a journal that the next one needs.
    if lock.journal().is_none() {
        lock.remove();
    }
    Ok(ExitCode::SUCCESS)
}

/// The facts that a stream adds to `inspect` of its model.
pub(crate) fn facts(stream: &AnyStream) -> Vec<(&'static str, String)> {
    let params = stream.params();
    let rate = match params.alarm_rate {
        AlarmRate::PerObservation(rate) => format!("at most {rate} false alarms per sample"),
        AlarmRate::Ever(share) => format!("probability of ever a false alarm at most {share}"),
    };
    let thinned = match stream.step() {
        1 => String::new(),
        step => format!(", by every {step}th sample because consecutive ones are dependent"),
    };
    vec![
        (
            "stream",
            format!("{} seen, window of {}, policy {}", stream.seen(), params.window, params.policy.name()),
        ),
        ("alarms", format!("{rate}{thinned}; now at {:.2} of the threshold", stream.alarm_level())),
        ("questions", format!("{} open", stream.questions().len())),
    ]
}

/// The [`facts`] as JSON.
pub(crate) fn facts_json(stream: &AnyStream) -> serde_json::Value {
    let events: Vec<serde_json::Value> = stream.events().iter().map(json_of).collect();
    serde_json::json!({
        "seen": stream.seen(),
        "window": stream.params().window,
        "policy": stream.params().policy.name(),
        "step": stream.step(),
        "alarm_level": stream.alarm_level(),
        "questions": stream.questions().iter().map(|event| event.id).collect::<Vec<_>>(),
        "events": events,
    })
}
