//! Which columns of a batch a model reads. Only the schema decides, so that every batch of an engine is read the same
//! way.

use arrow_schema::{DataType, Field, Fields};
use eocc_core::spelling::nearest;
use eocc_core::{Error, Layout};

use super::super::plan::{Plan, field_type, wanted_columns};
use super::super::{ReadError, ReadRequest, of_source};
use super::SOURCE;
use super::mixed::MixedSources;
use crate::error::{DataError, Fault};

/// The columns that form the samples.
pub(super) struct Features {
    /// Their positions in the batch, in the order of the features.
    pub(super) places: Vec<usize>,
    /// Their names in the model.
    pub(super) names: Vec<String>,
    /// How they are read; without a plan, each batch is analyzed again.
    pub(super) plan: Option<Plan>,
    /// How plain columns are read if the model's samples are rows of a mixed table.
    pub(super) mixed: Option<MixedSources>,
}

impl Features {
    /// The columns for a model of samples of this form, which have this many features if they are vectors.
    pub(super) fn resolve(
        fields: &Fields,
        layout: &Layout,
        request: &ReadRequest,
        expected: usize,
    ) -> Result<Self, ReadError> {
        let own = |place: &usize| fields[*place].name().clone();
        let all = || (0..fields.len()).collect::<Vec<usize>>();
        let wanted = wanted_columns(layout);
        if request.series.is_some() {
            // One column per time step, whatever their names.
            let places = all();
            return Ok(Self { names: places.iter().map(own).collect(), places, plan: None, mixed: None });
        }
        let (places, names, mut types) = if !wanted.is_empty() {
            let places =
                wanted.iter().map(|(name, _)| column_index(fields, name)).collect::<Result<_, _>>()?;
            (places, wanted.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), wanted)
        } else if let Some(kind) = field_type(layout) {
            let place = only(fields, layout, request)?;
            let name = own(&place);
            (vec![place], vec![name.clone()], vec![(name, kind)])
        } else {
            let places = all();
            if matches!(layout, Layout::Numbers(_)) && places.len() != expected {
                return Err(fault(format!(
                    "it has {} columns, but the model has {expected} features and no names for them; select these columns in \
                     their order",
                    places.len()
                )));
            }
            let names = places.iter().map(own).collect();
            (places, names, Vec::new())
        };
        // Given types take precedence over guessed ones.
        types.retain(|(name, _)| !request.types.iter().any(|(told, _)| told == name));
        types.extend(request.types.iter().filter(|(name, _)| names.contains(name)).cloned());
        let mixed = match layout {
            Layout::Columns(columns) => MixedSources::for_columns(columns, &names, &types, request),
            _ => None,
        };
        let plan = Plan::of_features(names.clone(), types);
        Ok(Self { places, names, plan: Some(plan), mixed })
    }
}

fn fault(words: String) -> ReadError {
    of_source(SOURCE)(Error::input(words))
}

/// The position of the column with this name, ignoring surrounding blanks.
fn column_index(fields: &Fields, name: &str) -> Result<usize, ReadError> {
    let exact = fields.iter().position(|field| field.name() == name);
    let found = exact.or_else(|| fields.iter().position(|field| field.name().trim() == name.trim()));
    found.ok_or_else(|| {
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let suggestion = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        let fault = Fault::NoColumn { given: name.to_owned(), names, suggestion, left_out: Vec::new() };
        DataError::new(SOURCE, fault).into()
    })
}

/// The column for a model without a name for it: the one it was fitted on, the only one, or the only one of a
/// suitable type.
fn only(fields: &Fields, layout: &Layout, request: &ReadRequest) -> Result<usize, ReadError> {
    let known = request.columns.first().or(request.column.as_ref());
    if let Some(known) = known
        && let Some(found) = fields.iter().position(|field| field.name() == known)
    {
        return Ok(found);
    }
    if fields.len() == 1 {
        return Ok(0);
    }
    let is_such = |field: &Field| match (layout, field.data_type()) {
        (Layout::Text | Layout::Graph, kind) => is_text(kind),
        (_, kind) => {
            matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
        }
    };
    let found: Vec<usize> = (0..fields.len()).filter(|&place| is_such(&fields[place])).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(fault("no column can hold the samples of the model; select the one that does".to_owned())),
        several => {
            let names: Vec<&str> = several.iter().map(|&place| fields[place].name().as_str()).collect();
            Err(fault(format!(
                "the columns {} may hold the samples of the model; select one",
                names.join(", ")
            )))
        }
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}
