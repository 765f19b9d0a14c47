//! The command-line option that helps, for errors whose message does not mention the command line.

use crate::judging::BadRow;
use crate::request::{assigned, quoted};
use eocc_core::error::{ErrorKind, ModelFault};
use eocc_core::{Error, Remedy};
use eocc_data::{CellFault, DataError, Fault, FieldFault, ReadError};

/// An addition to the message of an error, if an option helps.
pub(crate) fn hint(error: &anyhow::Error) -> Option<String> {
    if let Some(BadRow(error)) = error.downcast_ref() {
        // The model needs the column.
        let hint = error.data().and_then(of_data).filter(|hint| !hint.starts_with("(--drop"));
        let is_missing = matches!(
            error.data().map(DataError::fault),
            Some(Fault::Cell { why: CellFault::Missing(_), .. })
        );
        let missing = if is_missing { "--missing impute, " } else { "" };
        // If the whole file is of another kind, no row of it can be used.
        let is_of_file = error.library().is_some_and(|error| error.to_string().starts_with("the model "));
        return hint.or_else(|| (!is_of_file).then(|| format!("({missing}--on-bad-row skip|report)")));
    }
    if let Some(error) = error.downcast_ref::<ReadError>() {
        return error.data().map_or_else(|| error.library().and_then(of_library), of_data);
    }
    if let Some(error) = error.downcast_ref::<DataError>() {
        return of_data(error);
    }
    error.downcast_ref::<Error>().and_then(of_library)
}

fn of_library(error: &Error) -> Option<String> {
    match error.kind() {
        ErrorKind::ModelFile(ModelFault::NotAModel(what)) if what.contains("text") => {
            return Some("(the model comes first, then the data)".to_owned());
        }
        // Of series in rows of single values.
        ErrorKind::Input(fault) if fault.to_string().ends_with("choose them in this order") => {
            return Some("(--columns ID,TIME,VALUE)".to_owned());
        }
        ErrorKind::Parameter(faults)
            if faults.iter().any(|fault| fault.name == "nominal" && fault.allowed.ends_with("the label")) =>
        {
            return Some("(--label COL)".to_owned());
        }
        _ => {}
    }
    let option = match error.remedy()? {
        Remedy::FewerPrototypes => "--prototypes N, --direct",
        Remedy::UsePrototypes => "--preset paper --prototypes all",
        Remedy::FastScoring => "--scoring fast",
        Remedy::OtherJournal => "--journal FILE",
        Remedy::FreshJournal => "--restart",
        Remedy::OtherOrFreshJournal => "--journal FILE, --restart",
        _ => return None,
    };
    Some(format!("({option})"))
}

fn of_data(error: &DataError) -> Option<String> {
    if let Fault::NotUtf8 { .. } | Fault::Undecodable { .. } = error.fault() {
        return Some("(--encoding windows-1252 for most files of Western European programs)".to_owned());
    }
    if let Fault::NoColumn { names, .. } = error.fault()
        && names.iter().enumerate().all(|(at, name)| *name == format!("x{at}"))
    {
        return Some(match error.name() {
            "standard input" => "(no header was found; after `tail -f`, use `tail -n +1 -f`)".to_owned(),
            _ => "(no header was found; --header true if the first row is one)".to_owned(),
        });
    }
    if let Fault::HeaderOnly { .. } = error.fault() {
        return Some("(--header false)".to_owned());
    }
    if let Fault::Memory { .. } = error.fault()
        && error.name() == "standard input"
    {
        return Some("(a file may use more, since its size is known)".to_owned());
    }
    if let Fault::TooWide { .. } = error.fault() {
        return Some("(--columns COL,…)".to_owned());
    }
    if let Fault::ZeroByte { .. } = error.fault() {
        return Some("(--encoding utf-16 if it is text in UTF-16)".to_owned());
    }
    if let Fault::Field { column, why: FieldFault::ChangesType { text, marks, .. }, .. } = error.fault() {
        let (kind, column) = (assigned(column, "TYPE"), quoted(column));
        let text = text.trim().to_owned();
        let others = marks.iter().filter(|mark| **mark != text && !mark.contains(',')).cloned();
        let all: Vec<String> = std::iter::once(text.clone()).chain(others).collect();
        let these = if all.len() > 1 { "these mean" } else { "that means" };
        let all = quoted(&all.join(","));
        return Some(format!("(--na {all} if {these} missing, --types {kind}, --drop {column})"));
    }
    if let Fault::Field { column, why: FieldFault::Affixed { .. } | FieldFault::Mixed { .. }, .. } =
        error.fault()
    {
        let kind = format!("--types {}", assigned(column, "TYPE"));
        return Some(format!("({kind}, --drop {})", quoted(column)));
    }
    let (Fault::Cell { column, why, .. } | Fault::Field { column, why: FieldFault::Number(why), .. }) =
        error.fault()
    else {
        return None;
    };
    match why {
        CellFault::DecimalComma(text) if text.contains('.') => {
            return Some("(--decimal , --thousands .)".to_owned());
        }
        CellFault::DecimalComma(_) => return Some("(--decimal ,)".to_owned()),
        CellFault::Thousands(text) if text.matches(',').count() > 1 || text.contains('.') => {
            return Some("(--thousands ,)".to_owned());
        }
        CellFault::Thousands(_) => return Some("(--thousands , or --decimal ,)".to_owned()),
        CellFault::OtherNotation(_) => return Some("(--decimal CHAR, --thousands CHAR)".to_owned()),
        _ => {}
    }
    let missing = match why {
        CellFault::Missing(_) => {
            "; --missing impute|drop; missing values are taken by `default`, and by --dissimilarity gower and heom"
        }
        _ => "",
    };
    let column = quoted(column);
    Some(format!("(--drop {column}, or --label {column} if it holds the classes){missing}"))
}
