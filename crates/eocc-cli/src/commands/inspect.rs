//! `eocc inspect`.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::region::Centrality;
use eocc_core::{AnyModel, AnyStream, Closeness, NeighborSearch, Threshold};
use serde_json::json;

use super::fit::{describe, in_words, search, trimmed};
use super::monitor::{facts, facts_json};
use crate::cli::InspectArgs;
use crate::output::{self, counted, number};
use crate::request;

pub(crate) fn run(args: &InspectArgs) -> Result<ExitCode> {
    let model = request::load(&args.model)?;
    // A plain model is not a stream.
    let stream = AnyStream::load(&args.model).ok();
    if args.json { as_json(&model, stream.as_ref()) } else { as_text(&model, stream.as_ref()) }?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(model: &AnyModel, stream: Option<&AnyStream>) -> Result<()> {
    let mut value = describe(model);
    if let Some(stream) = stream {
        value["stream"] = facts_json(stream);
    }
    let p = model.params();
    let parameters = model.parameters();
    value["parameters"] = parameters.iter().map(|p| (p.name.clone(), json!(p.value))).collect();
    value["feature_names"] = json!(model.feature_names());
    value["percentile"] = json!(p.percentile);
    value["reject"] = match p.threshold {
        Threshold::Reject(share) => json!(share),
        Threshold::Percentile | Threshold::Contamination => json!(null),
    };
    value["bound"] = json!(model.bound());
    value["seed"] = json!(p.seed);
    value["region_details"] = model
        .regions()
        .iter()
        .map(|r| {
            let fuzzy = r.membership();
            let mut region = json!({ "size": r.size(), "threshold": fuzzy.threshold });
            if model.centrality() == Centrality::Closeness {
                region["chi_star"] = json!(fuzzy.largest.exp2());
                region["log2_chi_star"] = json!(fuzzy.largest);
            } else {
                region["highest_score"] = json!(fuzzy.largest);
            }
            region
        })
        .collect();
    output::json(&value)
}

fn as_text(model: &AnyModel, stream: Option<&AnyStream>) -> Result<()> {
    let (s, p) = (model.summary(), model.params());
    let accept = match p.threshold {
        Threshold::Percentile => format!("difference up to the percentile {} of the region", p.percentile),
        Threshold::Reject(share) => format!("p-value above {share}"),
        Threshold::Contamination => {
            "p-value above those of as many training samples as expected outliers".to_owned()
        }
    };
    let place = match p.representation.prototypes(s.samples) {
        None => "on the dissimilarity itself".to_owned(),
        Some(_) => format!("in the space of {} prototypes", model.prototypes()),
    };
    let mut rows = vec![
        ("preset", p.preset.name().to_owned()),
        ("samples", in_words(model)),
        ("dissimilarity", crate::facts::measure_of(model)),
        ("graph", format!("k = {}, {place}", s.neighbors)),
        ("neighbors", neighbors(model)),
        (
            "objective",
            format!("eta = {}, Jensen difference = {}, alpha = {}", number(s.eta), number(s.jensen), p.alpha),
        ),
        ("search", search(p.search, s)),
        ("judged by", judges(model)),
        ("trimmed", trimmed(model)),
        ("accepts", accept),
        ("seed", p.seed.to_string()),
    ];
    let parameters = model.parameters();
    if !parameters.is_empty() {
        let shown: Vec<String> =
            parameters.iter().map(|p| format!("{} = {}", p.name, number(p.value))).collect();
        rows.insert(3, ("parameters", output::shortened(&shown, 12)));
    }
    rows.extend(stream.map(facts).unwrap_or_default());
    output::pairs(&rows)?;
    output::line("")?;
    let regions: Vec<Vec<String>> = model
        .regions()
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let fuzzy = r.membership();
            vec![i.to_string(), r.size().to_string(), number(fuzzy.largest), number(fuzzy.threshold)]
        })
        .collect();
    let most_central = match model.centrality() {
        Centrality::Closeness => "log2 chi*",
        _ => "highest score",
    };
    output::table(&["region", "size", most_central, "threshold"], &regions)
}

/// A description of the neighbor search.
fn neighbors(model: &AnyModel) -> String {
    let plan = model.plan();
    match plan.neighbors {
        NeighborSearch::Visits(visits) => format!(
            "approximate, of {visits} samples looked at; {:.1} % of the true ones found",
            100.0 * plan.recall
        ),
        _ => "exact".to_owned(),
    }
}

/// The basis of the model's scores: the paper's closeness, views with their weights, or whatever its judge says.
fn judges(model: &AnyModel) -> String {
    if model.centrality() == Centrality::Closeness {
        let plan = model.plan();
        let estimate = match plan.closeness {
            Closeness::Sources(count) if plan.closeness_error > 0.0 => {
                format!(
                    ", estimated by {count} samples, within {:.1} % in 19 of 20",
                    100.0 * plan.closeness_error
                )
            }
            _ => String::new(),
        };
        return format!("closeness{estimate}, lengths in units of {}", number(model.bound()));
    }
    let views = model.views();
    if views.is_empty() {
        return model.judged_by();
    }
    let alike = views.iter().all(|(_, weight)| (weight - 1.0).abs() < 1e-12);
    let shown: Vec<String> = views
        .into_iter()
        .map(|(name, weight)| if alike { name } else { format!("{name} ({})", number(weight)) })
        .collect();
    format!("{}: {}", counted(shown.len(), "view"), output::shortened(&shown, 12))
}
