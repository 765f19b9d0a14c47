//! `eocc inspect`.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::{AnyModel, Threshold};
use serde_json::json;

use super::fit::{describe, in_words, search};
use crate::cli::InspectArgs;
use crate::output::{self, number};
use crate::request;

pub(crate) fn run(args: &InspectArgs) -> Result<ExitCode> {
    let model = request::load(&args.model)?;
    if args.json { as_json(&model) } else { as_text(&model) }?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(model: &AnyModel) -> Result<()> {
    let mut value = describe(model);
    let p = model.params();
    let parameters = model.parameters();
    value["parameters"] = parameters.iter().map(|p| (p.name.clone(), json!(p.value))).collect();
    value["feature_names"] = json!(model.feature_names());
    value["percentile"] = json!(p.percentile);
    value["reject"] = match p.threshold {
        Threshold::Reject(share) => json!(share),
        Threshold::Percentile => json!(null),
    };
    value["centrality"] = json!(p.centrality.name());
    value["bound"] = json!(model.scales().bound);
    value["unit"] = json!(model.scales().unit);
    value["seed"] = json!(p.seed);
    value["region_details"] = model
        .regions()
        .iter()
        .map(|r| {
            let fuzzy = r.membership();
            json!({
                "size": r.size(),
                "chi_star": fuzzy.log_largest.exp2(),
                "log2_chi_star": fuzzy.log_largest,
                "threshold": fuzzy.threshold,
            })
        })
        .collect();
    output::json(&value)
}

fn as_text(model: &AnyModel) -> Result<()> {
    let (s, p) = (model.summary(), model.params());
    let accept = match p.threshold {
        Threshold::Percentile => format!("difference up to the percentile {} of the region", p.percentile),
        Threshold::Reject(share) => format!("p-value above {share}"),
    };
    let place = match p.representation.prototypes(s.samples) {
        None => "on the dissimilarity itself".to_owned(),
        Some(_) => format!("in the space of {} prototypes", model.prototypes()),
    };
    let mut rows = vec![
        ("preset", p.preset.name().to_owned()),
        ("samples", in_words(model)),
        ("dissimilarity", model.measure().name().to_owned()),
        ("graph", format!("k = {}, {place}", s.neighbors)),
        (
            "objective",
            format!("eta = {}, Jensen difference = {}, alpha = {}", number(s.eta), number(s.jensen), p.alpha),
        ),
        ("search", search(p.search, s)),
        (
            "centrality",
            format!("{}, unit {}", p.centrality.name(), number(model.scales().unit * model.scales().bound)),
        ),
        ("accepts", accept),
        ("seed", p.seed.to_string()),
    ];
    let parameters = model.parameters();
    if !parameters.is_empty() {
        let shown: Vec<String> =
            parameters.iter().map(|p| format!("{} = {}", p.name, number(p.value))).collect();
        rows.insert(3, ("parameters", output::shortened(&shown, 12)));
    }
    output::pairs(&rows)?;
    output::line("")?;
    let regions: Vec<Vec<String>> = model
        .regions()
        .iter()
        .enumerate()
        .map(|(i, r)| {
            let fuzzy = r.membership();
            vec![
                i.to_string(),
                r.size().to_string(),
                number(fuzzy.log_largest.exp2()),
                number(fuzzy.threshold),
            ]
        })
        .collect();
    output::table(&["region", "size", "chi*", "threshold"], &regions)
}
