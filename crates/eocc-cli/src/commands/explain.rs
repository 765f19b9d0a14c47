//! `eocc explain`: why samples are judged as they are.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::dissimilarity::{GraphEdit, matched};
use eocc_core::sample::{ColumnKind, DateValue};
use eocc_core::stats::percentile;
use eocc_core::{
    AnyModel, AnySamples, Decision, Error, Explanation, Graphs, Part, Records, SampleSet as _, SeriesSet,
    Texts,
};
use eocc_data::{Batches, Dataset, ReadRequest, date_text};
use serde_json::{Value, json};

use crate::cli::ExplainArgs;
use crate::judging::{Good, Judge};
use crate::output::{self, counted, number};
use crate::progress::Bar;
use crate::{request, say};

/// Features that are told of a sample.
const FEATURES: usize = 5;
/// So many are told in any case.
const FEW_FEATURES: usize = 2;
/// Beyond these, a feature with less than this share is not told.
const LEAST_SHARE: f64 = 0.01;
/// Percentiles between which values are usual.
const USUAL: (f64, f64) = (5.0, 95.0);
/// Letters of a line of an alignment.
const LINE: usize = 80;
/// Letters of a string that stands for itself.
const LONGEST_NAME: usize = 30;
/// Steps of a series that are told.
const STEPS: usize = 5;

pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let model = request::load(&args.model)?;
    let read = ReadRequest {
        label: args.label.clone(),
        missing: request::missing_for(&model, args.missing),
        ..request::read_request(&args.read, None, None)?
    };
    let read = request::read_as(&model, &args.data, &args.read, read);
    let (chosen, totals) = chosen(args, &model, read)?;
    let facts = Facts::new(&model);
    let bar = Bar::new();
    for (at, Chosen { data, decision }) in chosen.iter().enumerate() {
        let explained = model.explain(&data.samples, args.nearest.max(1), &bar);
        let explained = explained.map_err(|e| anyhow::Error::new(e).context(data.source.clone()))?;
        let Some(explanation) = explained.first() else { continue };
        let one = One { data, decision, explanation, facts: &facts };
        if args.json {
            output::json(&one.as_json())?;
        } else {
            output::line(&format!("{}{}", if at > 0 { "\n" } else { "" }, one.as_text()))?;
        }
    }
    drop(bar);
    if args.row.is_empty() && args.id.is_empty() {
        let all = counted(totals.judged, "sample");
        say::line(&format!("{} of {all} rejected, {} explained", totals.rejected, chosen.len()));
    }
    if let Some(first) = &totals.bad {
        say::warning(&format!("some rows could not be judged; the first: {first}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A sample to explain.
struct Chosen {
    data: Dataset,
    decision: Decision,
}

#[derive(Default)]
struct Totals {
    judged: usize,
    rejected: usize,
    /// What is wrong with the first row that could not be judged.
    bad: Option<String>,
}

/// The samples to explain: those asked for, or the rejected ones, the most suspicious first.
fn chosen(args: &ExplainArgs, model: &AnyModel, read: ReadRequest) -> Result<(Vec<Chosen>, Totals)> {
    let mut batches = Batches::open(&args.data, &read)?;
    let mut judge = Judge::new(model, read, model.params().scoring, args.on_bad_row);
    let (mut chosen, mut totals): (Vec<Chosen>, _) = (Vec::new(), Totals::default());
    let is_asked = !args.row.is_empty() || !args.id.is_empty();
    while let Some(judged) = judge.next(&mut batches)? {
        for bad in judged.bad {
            if args.row.contains(&bad.row) || args.id.contains(&bad.name) {
                return Err(Error::input(bad.message).into());
            }
            totals.bad.get_or_insert(bad.message);
        }
        for Good { mut data, decisions, first } in judged.good {
            data.rows = Some((0..data.count()).map(|i| first + data.row(i)).collect());
            totals.judged += decisions.len();
            totals.rejected += decisions.iter().filter(|d| !d.accepted).count();
            let is_wanted = |i: &usize| {
                let is_named = || args.row.contains(&data.row(*i)) || has_name(&data, *i, &args.id);
                if is_asked { is_named() } else { !decisions[*i].accepted }
            };
            let wanted = (0..decisions.len()).filter(is_wanted);
            chosen.extend(wanted.map(|i| Chosen { data: data.select(&[i]), decision: decisions[i] }));
        }
        if !is_asked {
            chosen.sort_by(|a, b| a.decision.score.total_cmp(&b.decision.score));
            chosen.truncate(args.top);
        }
    }
    let is_absent = |row: &&usize| !chosen.iter().any(|c| c.data.row(0) == **row);
    if let Some(row) = args.row.iter().find(is_absent) {
        let allowed =
            format!("a row of {}, which has {}", args.data.display(), counted(totals.judged, "row"));
        return Err(Error::parameter("row", row, allowed).into());
    }
    let is_absent =
        |name: &&String| !chosen.iter().any(|c| has_name(&c.data, 0, std::slice::from_ref(*name)));
    if let Some(name) = args.id.iter().find(is_absent) {
        let allowed = format!("the name of a sample of {}", args.data.display());
        return Err(Error::parameter("id", format!("`{name}`"), allowed).into());
    }
    Ok((chosen, totals))
}

/// Whether a sample has one of these names; where there are none, its number is its name.
fn has_name(data: &Dataset, sample: usize, names: &[String]) -> bool {
    match &data.names {
        Some(own) => names.contains(&own[sample]),
        None => names.contains(&data.row(sample).to_string()),
    }
}

/// What the model knows, asked once.
struct Facts<'a> {
    model: &'a AnyModel,
    reference: AnySamples,
    features: Vec<String>,
    edits: Option<GraphEdit>,
}

impl<'a> Facts<'a> {
    fn new(model: &'a AnyModel) -> Self {
        let state = model.measure().state().filter(|_| model.measure().name() == "ged");
        Self {
            model,
            reference: model.reference(),
            features: model.share_names(),
            edits: state.and_then(|state| GraphEdit::from_state(&state).ok()),
        }
    }

    /// How the first of these samples differs from one of the others.
    fn matched(&self, own: &AnySamples, others: &AnySamples, nearest: usize) -> Option<String> {
        if let (Some(own), Some(others)) = (own.downcast_ref::<Texts>(), others.downcast_ref::<Texts>()) {
            return aligned(own.sample(0), others.sample(nearest));
        }
        if let (Some(own), Some(others)) =
            (own.downcast_ref::<SeriesSet>(), others.downcast_ref::<SeriesSet>())
        {
            return warped(own.sample(0), others.sample(nearest));
        }
        let (own, others) = (own.downcast_ref::<Graphs>()?, others.downcast_ref::<Graphs>()?);
        let own = others.conform(own).ok()?;
        let path = self.edits.as_ref()?.path(others.sample(nearest), own.sample(0));
        // What costs nothing changes nothing.
        let told = path.to_string();
        let lines: Vec<&str> = told.lines().filter(|line| !line.ends_with(": 0")).collect();
        Some(format!("edits that lead here:\n{}", lines.join("\n")))
    }

    /// The name of a training sample, or its number; with fewer prototypes than samples, its number among them.
    fn name(&self, i: u32) -> String {
        let is_named = self.reference.count() == self.model.summary().samples;
        let name = self.model.names().get(i as usize).filter(|_| is_named).cloned();
        // A short string is its own name.
        let text = || self.reference.downcast_ref::<Texts>().map(|texts| texts.sample(i as usize).to_owned());
        let short = |text: &String| text.chars().count() <= LONGEST_NAME && !text.contains(char::is_control);
        let own = || text().filter(short).map(|text| format!("\"{text}\""));
        name.or_else(own).unwrap_or_else(|| format!("#{i}"))
    }
}

/// One feature of a sample.
struct Feature {
    name: String,
    share: f64,
    value: String,
    usual: String,
}

/// One sample to explain.
struct One<'a> {
    data: &'a Dataset,
    decision: &'a Decision,
    explanation: &'a Explanation,
    facts: &'a Facts<'a>,
}

impl One<'_> {
    fn title(&self) -> String {
        let row = format!("row {}", self.data.row(0));
        match &self.data.names {
            Some(names) => format!("{row}, {}", names[0]),
            None => row,
        }
    }

    /// The features that say most, largest share first.
    fn features(&self) -> Vec<Feature> {
        let shares = &self.explanation.shares;
        let mut order: Vec<usize> = (0..shares.len()).filter(|&f| shares[f] > 0.0).collect();
        order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
        // Of many features each may say little.
        let telling = order.iter().filter(|&&f| shares[f] >= LEAST_SHARE).count();
        order.truncate(telling.clamp(FEW_FEATURES, FEATURES));
        let feature = |f: usize| {
            let name = self.facts.features.get(f).cloned().unwrap_or_else(|| format!("x{f}"));
            let own = self.data.samples.feature(f);
            let value = own.as_ref().map(|(kind, values)| in_words(kind, values[0])).unwrap_or_default();
            let usual = self.facts.reference.feature(f).map(|(kind, values)| usual(&kind, &values, &value));
            Feature { name, share: shares[f], value, usual: usual.unwrap_or_default() }
        };
        order.into_iter().map(feature).collect()
    }

    /// How it differs from the nearest nominal, where samples, or parts of them, are strings, series or graphs.
    fn matched(&self) -> Option<String> {
        let nearest = self.explanation.nearest.first()?.0 as usize;
        let (own, reference) = (&self.data.samples, &self.facts.reference);
        let (Some(own), Some(others)) = (own.downcast_ref::<Records>(), reference.downcast_ref::<Records>())
        else {
            return self.facts.matched(own, reference, nearest);
        };
        let told = |(own, other): (Part, Part)| {
            let matched = self.facts.matched(&own.samples, &other.samples, nearest)?;
            Some(format!("{}:\n{matched}", own.name))
        };
        let parts: Vec<String> = own.parts().into_iter().zip(others.parts()).filter_map(told).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    fn as_text(&self) -> String {
        let d = self.decision;
        let verdict = if d.accepted { "accepted" } else { "rejected" };
        let mut lines = vec![format!(
            "{}: {verdict}, p-value {}, score {}, region {}",
            self.title(),
            number(d.p_value),
            number(d.score),
            d.region
        )];
        let features = self.features();
        let width = |f: fn(&Feature) -> &String| {
            features.iter().map(|feature| f(feature).chars().count()).max().unwrap_or(0)
        };
        let (names, values) = (width(|f| &f.name), width(|f| &f.value));
        for Feature { name, share, value, usual } in &features {
            let share = if *share < 0.01 { "< 1 %".to_owned() } else { format!("{:.0} %", 100.0 * share) };
            lines.push(
                format!("  {share:>5}  {name:<names$}  {value:<values$}  {usual}").trim_end().to_owned(),
            );
        }
        let nearest: Vec<String> = self
            .explanation
            .nearest
            .iter()
            .map(|(i, length)| format!("{} ({})", self.facts.name(*i), number(*length)))
            .collect();
        lines.push(format!("  nearest nominals: {}", nearest.join(", ")));
        if let Some(matched) = self.matched() {
            lines.push(format!("  beside {}:", self.facts.name(self.explanation.nearest[0].0)));
            lines.extend(matched.lines().map(|line| format!("    {line}")));
        }
        lines.join("\n")
    }

    fn as_json(&self) -> Value {
        let d = self.decision;
        let feature =
            |f: Feature| json!({ "name": f.name, "share": f.share, "value": f.value, "usual": f.usual });
        let nearest = |(i, length): &(u32, f64)| json!({ "name": self.facts.name(*i), "distance": length });
        json!({
            "row": self.data.row(0),
            "name": self.data.names.as_ref().map(|names| &names[0]),
            "accepted": d.accepted,
            "p_value": d.p_value,
            "score": d.score,
            "membership": d.membership,
            "region": d.region,
            "features": self.features().into_iter().map(feature).collect::<Vec<_>>(),
            "nearest": self.explanation.nearest.iter().map(nearest).collect::<Vec<_>>(),
            "matched": self.matched(),
        })
    }
}

/// A value of a feature.
fn in_words(kind: &ColumnKind, value: Option<f64>) -> String {
    let Some(value) = value else { return "missing".to_owned() };
    let level = |levels: &[String]| match levels.get(value as usize) {
        Some(level) if value >= 0.0 => level.clone(),
        _ => "unknown in training".to_owned(),
    };
    match kind {
        ColumnKind::Boolean if value < 0.0 => "unknown in training".to_owned(),
        ColumnKind::Boolean => (value > 0.5).to_string(),
        ColumnKind::Category(levels) | ColumnKind::Ordered(levels) => level(levels),
        ColumnKind::Date(part) if part.value == DateValue::Elapsed => date_text(value),
        _ => number(value),
    }
}

/// What is usual in a feature of the nominals, beside this value.
fn usual(kind: &ColumnKind, values: &[Option<f64>], value: &str) -> String {
    let mut known: Vec<f64> = values.iter().flatten().copied().collect();
    if known.is_empty() {
        return "never known among the nominals".to_owned();
    }
    if value == "missing" {
        let missing = values.len() - known.len();
        return format!("missing in {}", share(missing, values.len()));
    }
    match kind {
        ColumnKind::Number | ColumnKind::Date(_) => {
            let at = |known: &mut [f64], p: f64| in_words(kind, Some(percentile(known, p)));
            let (low, high) = (at(&mut known, USUAL.0), at(&mut known, USUAL.1));
            if low == high { format!("usual: {low}") } else { format!("usual: {low} to {high}") }
        }
        _ => {
            let same = values.iter().filter(|v| in_words(kind, **v) == value).count();
            format!("as in {} of the nominals", share(same, values.len()))
        }
    }
}

fn share(part: usize, whole: usize) -> String {
    match part {
        0 => "none".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}

/// Two strings, letter above letter; a bar stands between equal ones.
fn aligned(own: &str, nearest: &str) -> Option<String> {
    let pairs = matched::align(own, nearest)?;
    let line = |pairs: &[(Option<char>, Option<char>)],
                f: fn(&(Option<char>, Option<char>)) -> char|
     -> String { pairs.iter().map(f).collect() };
    let blocks: Vec<String> = pairs
        .chunks(LINE)
        .map(|some| {
            let own = line(some, |p| visible(p.0));
            let marks = line(some, |p| if p.0 == p.1 { '|' } else { ' ' });
            let other = line(some, |p| visible(p.1));
            format!("{own}\n{}\n{other}", marks.trim_end())
        })
        .collect();
    Some(blocks.join("\n\n"))
}

/// A letter that does not move the others on a terminal.
fn visible(letter: Option<char>) -> char {
    letter.map_or('-', |c| if c.is_control() { ' ' } else { c })
}

/// The steps of a series that differ most from those of the nearest that they are matched with.
fn warped(own: &eocc_core::Series, nearest: &eocc_core::Series) -> Option<String> {
    let path = matched::warp(own, nearest)?;
    let (a, b): (Vec<&[f64]>, Vec<&[f64]>) = (own.steps().collect(), nearest.steps().collect());
    let apart =
        |&(i, j): &(usize, usize)| a[i].iter().zip(b[j]).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let mut order: Vec<&(usize, usize)> = path.iter().collect();
    order.sort_by(|p, q| apart(q).total_cmp(&apart(p)));
    let values = |step: &[f64]| step.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", ");
    let total: f64 = path.iter().map(apart).sum();
    let lines = order.iter().take(STEPS).map(|pair| {
        let (i, j) = **pair;
        let share = if total > 0.0 { 100.0 * apart(pair) / total } else { 0.0 };
        format!(
            "step {i}: {} where step {j} has {} ({share:.0} % of the difference)",
            values(a[i]),
            values(b[j])
        )
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}
