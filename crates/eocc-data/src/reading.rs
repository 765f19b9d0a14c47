//! How the samples of a model were read; stored with the model, so that new ones are read the same way.

use std::path::Path;

use eocc_core::{AnyModel, Error, Preset};
use serde::{Deserialize, Serialize};

use crate::dataset::{Dataset, Missing, ModelReader, ReadRequest, SeriesLayout, Windows};
use crate::format::Format;
use crate::notation::Notation;
use crate::text_encoding::TextEncoding;
use crate::unpack::inner_name;

/// How samples were read, as far as new samples do not show it themselves. Types of columns are not included: they
/// are part of the form of a model's samples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// The treatment of missing values: imputed, or not accepted. `None`: the measure decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Gaps>,
    /// Values that mean missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    na: Vec<String>,
    /// The number notation, if it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thousands: Option<char>,
    /// The encoding of text, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// The name column, unless its own name identifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The column of the samples, if their form has no name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    /// Whether numbers, addresses and hexadecimal words in texts were masked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    mask: bool,
    /// The layout of samples in the file, if it is not evident.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Input>,
    /// How one long series was cut into windows, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<Windows>,
    /// The names of the columns whose order matters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    header: Vec<String>,
    /// How far apart the times of series usually were.
    #[serde(skip_serializing_if = "Option::is_none")]
    spacing: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Gaps {
    Impute,
    Error,
}

impl Gaps {
    fn from_missing(missing: Option<Missing>) -> Option<Self> {
        match missing {
            Some(Missing::Impute) => Some(Self::Impute),
            Some(Missing::Drop | Missing::Error) => Some(Self::Error),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Input {
    Lines,
    SeriesWide,
    SeriesLong,
}

impl Reading {
    /// How this data was read, by this request.
    pub fn new(request: &ReadRequest, data: &Dataset) -> Self {
        // Some names identify themselves.
        let is_plain = |name: &&String| ["name", "id"].iter().any(|known| name.eq_ignore_ascii_case(known));
        let notation = request.options.notation;
        let is_unnamed = data.samples.layout().single_column().is_some();
        // A single column is evident.
        let column = match data.columns.as_slice() {
            [one]
                if is_unnamed && data.width > 1 && request.series.is_none() && request.windows.is_none() =>
            {
                Some(one.clone())
            }
            _ => None,
        };
        Self {
            missing: Gaps::from_missing(request.missing),
            na: request.na.clone(),
            decimal: notation.map(Notation::decimal).filter(|mark| *mark != '.'),
            thousands: notation.and_then(Notation::thousands),
            encoding: request.options.encoding.filter(|e| !e.is_utf8()).map(|e| e.name().to_owned()),
            id: data.name_column.clone().filter(|name| !is_plain(&name)),
            column,
            mask: request.mask,
            input: match request.series {
                Some(SeriesLayout::Wide) => Some(Input::SeriesWide),
                Some(SeriesLayout::Long) => Some(Input::SeriesLong),
                None => data.are_lines.then_some(Input::Lines),
            },
            windows: request.windows.clone(),
            header: data.header.clone(),
            spacing: data.spacing,
        }
    }

    /// Stores it with a model.
    pub fn keep_in(&self, model: &mut AnyModel) {
        model.set_reading(self.kept());
    }

    /// The form stored with a model or a stream; `None` if everything is the default.
    pub fn kept(&self) -> Option<serde_json::Value> {
        (*self != Self::default()).then(|| serde_json::json!(self))
    }

    /// The form stored with a model.
    pub fn of_model(model: &AnyModel) -> Result<Self, Error> {
        Self::of_kept(model.reading())
    }

    /// The form stored with a model or a stream.
    pub fn of_kept(kept: Option<&serde_json::Value>) -> Result<Self, Error> {
        let Some(kept) = kept else { return Ok(Self::default()) };
        serde_json::from_value(kept.clone()).map_err(|error| {
            Error::input(format!(
                "the model says how its samples were read in a way this version does not know ({error}); fit it again"
            ))
        })
    }

    /// The treatment of missing values; `None` if the measure decides.
    pub fn missing(&self) -> Option<Missing> {
        self.missing.map(|gaps| match gaps {
            Gaps::Impute => Missing::Impute,
            Gaps::Error => Missing::Error,
        })
    }

    /// With another treatment of missing values.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing: Gaps::from_missing(Some(missing)), ..self }
    }

    /// The treatment of missing values in new samples: the same as in training, or that of the measure.
    pub fn missing_for(&self, model: &AnyModel) -> Option<Missing> {
        self.missing().or_else(|| {
            let is_default = model.params().preset == Preset::Default;
            let takes_missing = is_default || model.measure().properties().takes_missing;
            takes_missing.then_some(Missing::Distance)
        })
    }

    /// The treatment of missing values, as the command-line option names it; `None` if the measure decides.
    pub fn missing_word(&self) -> Option<&'static str> {
        self.missing.map(|gaps| match gaps {
            Gaps::Impute => "impute",
            Gaps::Error => "error",
        })
    }

    /// Whether numbers, addresses and hexadecimal words in texts were masked.
    pub fn is_masked(&self) -> bool {
        self.mask
    }

    /// Values that mean missing.
    pub fn na(&self) -> &[String] {
        &self.na
    }

    /// How one long series was cut into windows, if so.
    pub fn windows(&self) -> Option<&Windows> {
        self.windows.as_ref()
    }

    /// The name column, unless its own name identifies it.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The request, with anything not given taken from training; `path` is that of the file, if it is one.
    #[must_use]
    pub fn complete(&self, mut request: ReadRequest, path: Option<&Path>) -> ReadRequest {
        let options = &mut request.options;
        if options.notation.is_none() && (self.decimal.is_some() || self.thousands.is_some()) {
            options.notation = Notation::new(self.decimal, self.thousands).ok();
        }
        // New files may be in UTF-8 all the same.
        let encoding = || self.encoding.as_ref()?.parse::<TextEncoding>().ok();
        if options.encoding.is_none() {
            options.fallback = options.fallback.or_else(encoding);
        }
        request.mask |= self.mask;
        if request.na.is_empty() {
            request.na.clone_from(&self.na);
        }
        request.id = request.id.or_else(|| self.id.clone());
        request.column = request.column.or_else(|| self.column.clone());
        request.windows = request.windows.or_else(|| self.windows.clone());
        if request.header.is_empty() {
            request.header.clone_from(&self.header);
        }
        request.spacing = request.spacing.or(self.spacing);
        if request.series.is_some() || options.format.is_some() {
            return request;
        }
        let may_be_lines = path.is_none_or(|path| {
            let name = path.to_string_lossy();
            Format::of_extension(Path::new(inner_name(&name))).is_none()
        });
        match self.input {
            Some(Input::SeriesWide) => request.series = Some(SeriesLayout::Wide),
            Some(Input::SeriesLong) => request.series = Some(SeriesLayout::Long),
            Some(Input::Lines) if may_be_lines => options.format = Some(Format::Lines),
            _ => {}
        }
        request
    }
}

impl ModelReader {
    /// Reads samples for a model as its training samples were read, unless the request says otherwise, and imputes
    /// missing values the same way. `path` is that of the file, if it is one.
    pub fn for_model(model: &AnyModel, request: ReadRequest, path: Option<&Path>) -> Result<Self, Error> {
        let reading = Reading::of_model(model)?;
        let missing = request.missing.or_else(|| reading.missing_for(model));
        let request = reading.complete(ReadRequest { missing, ..request }, path);
        let unnamed = request.unnamed || (model.names().is_empty() && request.id.is_none());
        Ok(Self::from_model(model, ReadRequest { unnamed, ..request }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_bytes};

    #[test]
    fn what_is_kept_is_what_is_not_plain_to_see() {
        let notation = Notation::new(Some(','), Some('.')).ok();
        let options = ReadOptions { notation, ..ReadOptions::default() };
        let request = ReadRequest { options, missing: Some(Missing::Impute), ..ReadRequest::default() };
        let text = b"key;a;b\nk1;1,5;2\nk2;2,5;3\nk3;0,5;1\n";
        let table = read_bytes("t.csv", text, &request.options).unwrap();
        let data = Dataset::of_table(&table, &request).unwrap();
        let reading = Reading::new(&request, &data);
        let json = serde_json::to_string(&reading).unwrap();
        assert_eq!(json, r#"{"missing":"impute","decimal":",","thousands":".","id":"key"}"#);
        assert_eq!(serde_json::from_str::<Reading>(&json).unwrap(), reading);
        let completed = reading.complete(ReadRequest::default(), None);
        assert_eq!((completed.options.notation, completed.id.as_deref()), (notation, Some("key")));
        assert!(serde_json::from_str::<Reading>(r#"{"color":"red"}"#).is_err());
    }

    #[test]
    fn what_is_said_counts_more() {
        let reading: Reading =
            serde_json::from_str(r#"{"decimal":",","input":"lines","column":"note"}"#).unwrap();
        let told = ReadRequest {
            options: ReadOptions {
                notation: Notation::new(Some('.'), None).ok(),
                format: Some(Format::Csv),
                ..ReadOptions::default()
            },
            column: Some("text".into()),
            ..ReadRequest::default()
        };
        let completed = reading.complete(told.clone(), None);
        assert_eq!(completed.options.notation, told.options.notation);
        assert_eq!(
            (completed.options.format, completed.column.as_deref()),
            (Some(Format::Csv), Some("text"))
        );
        // The name of a file may indicate its content.
        let of = |path: &str| reading.complete(ReadRequest::default(), Some(Path::new(path))).options.format;
        assert_eq!((of("a.csv"), of("a.log"), of("-")), (None, Some(Format::Lines), Some(Format::Lines)));
    }
}
