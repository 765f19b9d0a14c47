//! From typed fields to samples: which type of samples a file holds, or what a model expects of it.

use anyhow::{Result, anyhow, bail};
pub(crate) use eocc::AnySamples as Samples;
use eocc::sample::{ColumnKind, MixedColumn, NamedPart, PartSet};
use eocc::{AnyModel, Error, Matrix, MixedTable, Records, SampleSet, Series, SeriesSet, Texts, Vectors};
use eocc_data::{Field, FieldType, FieldValues, Fields};

/// The name of the part that holds all plain columns of a record.
const TABLE: &str = "table";

/// The samples that fields make: vectors if all are numbers, strings or series if there is one such field, rows of a
/// mixed table if they are numbers, words and the like, and records if there are several kinds. `mixed` asks for a
/// mixed table also of numbers only.
pub(crate) fn of_fields(fields: &Fields, mixed: bool) -> Result<Samples> {
    let (plain, special): (Vec<&Field>, Vec<&Field>) =
        fields.fields().iter().partition(|f| is_plain(&f.values));
    let of_special = |field: &Field| part(fields, field);
    Ok(match (plain.as_slice(), special.as_slice()) {
        ([], []) => bail!(Error::input(format!("{}: no column is left to learn from", fields.source()))),
        (plain, []) => of_plain(fields, plain, mixed)?.into(),
        ([], [one]) => of_special(one)?.set.into(),
        (plain, special) => {
            let mut parts = special.iter().map(|field| of_special(field)).collect::<Result<Vec<_>>>()?;
            if !plain.is_empty() {
                parts.push(NamedPart { name: TABLE.into(), set: of_plain(fields, plain, mixed)? });
            }
            Samples::Records(Records::new(parts)?)
        }
    })
}

fn is_plain(values: &FieldValues) -> bool {
    !matches!(values, FieldValues::Texts(_) | FieldValues::Series(_) | FieldValues::Graphs(_))
}

fn part(fields: &Fields, field: &Field) -> Result<NamedPart> {
    let set = match &field.values {
        FieldValues::Texts(texts) => {
            if let Some(i) = texts.iter().position(|t| t.len() > eocc::sample::LONGEST_TEXT) {
                bail!(Error::input(format!(
                    "{}: {}: the text has {} bytes, but at most {} are taken; cut it into pieces",
                    fields.source(),
                    fields.place(i),
                    texts[i].len(),
                    eocc::sample::LONGEST_TEXT
                )));
            }
            PartSet::Texts(Texts::new(texts.clone())?)
        }
        FieldValues::Series(all) => PartSet::Series(series(fields, all)?),
        FieldValues::Graphs(texts) => {
            // One graph a line, as a file of them would have it.
            let lines = texts.iter().map(|t| t.replace(['\n', '\r'], " ")).collect::<Vec<_>>().join("\n");
            let name = format!("{}, column `{}`.jsonl", fields.source(), field.name);
            PartSet::Graphs(eocc_data::read_graph_bytes(&name, lines.as_bytes())?.graphs)
        }
        _ => bail!(Error::input(format!("{}: column `{}` cannot be compared", fields.source(), field.name))),
    };
    Ok(NamedPart { name: field.name.clone(), set })
}

fn series(fields: &Fields, all: &[Vec<Vec<f64>>]) -> Result<SeriesSet> {
    let each = all.iter().enumerate().map(|(i, steps)| {
        let channels = steps.first().map_or(0, Vec::len);
        Series::new(steps.concat(), channels)
            .map_err(|e| anyhow!("{}: {}: {e}", fields.source(), fields.place(i)))
    });
    Ok(SeriesSet::new(each.collect::<Result<_>>()?)?)
}

/// Plain columns: vectors if all are numbers and none is missing.
fn of_plain(fields: &Fields, plain: &[&Field], mixed: bool) -> Result<PartSet> {
    let numbers = |field: &&Field| match &field.values {
        FieldValues::Numbers(values) => values.iter().copied().collect::<Option<Vec<f64>>>(),
        _ => None,
    };
    if !mixed && let Some(columns) = plain.iter().map(numbers).collect::<Option<Vec<_>>>() {
        let values = (0..fields.rows()).flat_map(|row| columns.iter().map(move |c| c[row])).collect();
        let names = plain.iter().map(|f| f.name.clone()).collect();
        return Ok(PartSet::Vectors(Vectors::with_names(
            Matrix::new(values, fields.rows(), plain.len()),
            names,
        )?));
    }
    let columns = plain.iter().map(|field| column(field)).collect();
    Ok(PartSet::Mixed(MixedTable::new(columns)?))
}

fn column(field: &Field) -> (MixedColumn, Vec<Option<f64>>) {
    let codes = |codes: &[Option<u32>]| codes.iter().map(|c| c.map(f64::from)).collect();
    let (kind, cells) = match &field.values {
        FieldValues::Numbers(values) => (ColumnKind::Number, values.clone()),
        FieldValues::Booleans(values) => {
            (ColumnKind::Boolean, values.iter().map(|v| v.map(|v| f64::from(u8::from(v)))).collect())
        }
        FieldValues::Categories { levels, codes: c } => (ColumnKind::Category(levels.clone()), codes(c)),
        FieldValues::Ordered { levels, codes: c } => (ColumnKind::Ordered(levels.clone()), codes(c)),
        // Not plain: nothing of it can be told.
        _ => (ColumnKind::Number, vec![None; field.values.len()]),
    };
    (MixedColumn { name: field.name.clone(), kind }, cells)
}

/// What a model expects of a file, so that types are not guessed anew.
pub(crate) enum Shape {
    Vectors(Vec<String>),
    Precomputed,
    Text,
    Series,
    Graphs,
    Mixed(Vec<MixedColumn>),
    Records(Vec<(String, Shape)>),
}

impl Shape {
    pub(crate) fn of(model: &AnyModel) -> Self {
        match model {
            AnyModel::Vectors(m) => Self::Vectors(m.reference().feature_names().to_vec()),
            AnyModel::Precomputed(_) => Self::Precomputed,
            AnyModel::Texts(_) => Self::Text,
            AnyModel::Series(_) => Self::Series,
            AnyModel::Mixed(m) => Self::Mixed(m.reference().columns().to_vec()),
            AnyModel::Records(m) => Self::of_records(m.reference()),
            AnyModel::Graphs(_) => Self::Graphs,
        }
    }

    /// Of samples at hand.
    pub(crate) fn of_samples(samples: &Samples) -> Self {
        match samples {
            Samples::Vectors(set) => Self::Vectors(set.feature_names().to_vec()),
            Samples::Precomputed(_) => Self::Precomputed,
            Samples::Texts(_) => Self::Text,
            Samples::Series(_) => Self::Series,
            Samples::Mixed(set) => Self::Mixed(set.columns().to_vec()),
            Samples::Records(set) => Self::of_records(set),
            Samples::Graphs(_) => Self::Graphs,
        }
    }

    fn of_records(set: &Records) -> Self {
        let shape = |part: &NamedPart| (part.name.clone(), Self::of_part(&part.set));
        Self::Records(set.refs().first().map_or_else(Vec::new, |r| r.parts().iter().map(shape).collect()))
    }

    fn of_part(set: &PartSet) -> Self {
        match set {
            PartSet::Texts(_) => Self::Text,
            PartSet::Series(_) => Self::Series,
            PartSet::Graphs(_) => Self::Graphs,
            PartSet::Vectors(set) => Self::Vectors(set.feature_names().to_vec()),
            PartSet::Mixed(set) => Self::Mixed(set.columns().to_vec()),
        }
    }

    /// The columns that it needs, by name, with their types; none if it has no names for them.
    pub(crate) fn columns(&self) -> Vec<(String, FieldType)> {
        let of_kind = |kind: &ColumnKind| match kind {
            ColumnKind::Number => FieldType::Number,
            ColumnKind::Boolean => FieldType::Boolean,
            // By their names: levels that training did not have are let in, and differ from all.
            ColumnKind::Category(_) | ColumnKind::Ordered(_) => FieldType::Category,
        };
        match self {
            Self::Vectors(names) => names.iter().map(|n| (n.clone(), FieldType::Number)).collect(),
            Self::Mixed(columns) => columns.iter().map(|c| (c.name.clone(), of_kind(&c.kind))).collect(),
            Self::Precomputed | Self::Text | Self::Series | Self::Graphs => Vec::new(),
            Self::Records(parts) => {
                let of_part = |(name, shape): &(String, Self)| match shape {
                    Self::Text => vec![(name.clone(), FieldType::Text)],
                    Self::Series => vec![(name.clone(), FieldType::Series)],
                    Self::Graphs => vec![(name.clone(), FieldType::Graph)],
                    shape => shape.columns(),
                };
                parts.iter().flat_map(of_part).collect()
            }
        }
    }

    /// The samples that typed fields make for the model.
    pub(crate) fn samples(&self, fields: &Fields) -> Result<Samples> {
        let missing = |what: &str| {
            anyhow!(Error::input(format!(
                "{}: the model is of {what}, and there is no such column",
                fields.source()
            )))
        };
        let only = |what: &str, is: fn(&FieldValues) -> bool| -> Result<PartSet> {
            let found: Vec<&Field> = fields.fields().iter().filter(|f| is(&f.values)).collect();
            match found.as_slice() {
                [one] => Ok(part(fields, one)?.set),
                [] => Err(missing(what)),
                _ => Err(anyhow!(Error::input(format!(
                    "{}: the model is of {what}, and several columns hold such; choose one (--columns)",
                    fields.source()
                )))),
            }
        };
        Ok(match self {
            Self::Text => only("strings", |v| matches!(v, FieldValues::Texts(_)))?.into(),
            Self::Series => only("time series", |v| matches!(v, FieldValues::Series(_)))?.into(),
            Self::Graphs => only("graphs", |v| matches!(v, FieldValues::Graphs(_)))?.into(),
            Self::Vectors(_) => of_plain(fields, &fields.fields().iter().collect::<Vec<_>>(), false)?.into(),
            Self::Mixed(columns) => Samples::Mixed(mixed(fields, columns)?),
            Self::Precomputed => bail!(missing("precomputed dissimilarities")),
            Self::Records(parts) => {
                let named = |(name, shape): &(String, Self)| {
                    let field = || -> Result<&Field> { Ok(&fields.fields()[fields.field(name)?]) };
                    let set = match shape {
                        Self::Text | Self::Series | Self::Graphs => part(fields, field()?)?.set,
                        Self::Mixed(columns) => PartSet::Mixed(mixed(fields, columns)?),
                        shape => {
                            let names: Vec<String> = shape.columns().into_iter().map(|c| c.0).collect();
                            of_plain(fields, &by_name(fields, &names)?, false)?
                        }
                    };
                    Ok(NamedPart { name: name.clone(), set })
                };
                Samples::Records(Records::new(parts.iter().map(named).collect::<Result<_>>()?)?)
            }
        })
    }
}

fn by_name<'a>(fields: &'a Fields, names: &[String]) -> Result<Vec<&'a Field>> {
    Ok(names.iter().map(|n| fields.field(n).map(|f| &fields.fields()[f])).collect::<Result<_, _>>()?)
}

/// Columns of a mixed table, kinds as the model has them.
fn mixed(fields: &Fields, wanted: &[MixedColumn]) -> Result<MixedTable> {
    let names: Vec<String> = wanted.iter().map(|c| c.name.clone()).collect();
    let columns = by_name(fields, &names)?.into_iter().zip(wanted).map(|(field, wanted)| {
        let (mut own, cells) = column(field);
        if let (ColumnKind::Category(levels), ColumnKind::Ordered(_)) = (&own.kind, &wanted.kind) {
            own.kind = ColumnKind::Ordered(levels.clone());
        }
        (own, cells)
    });
    Ok(MixedTable::new(columns.collect())?)
}
