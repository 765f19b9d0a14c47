//! A time series written as a JSON array.

use serde_json::value::RawValue;

use crate::field_fault::FieldFault;

/// One time series: time, then channel.
pub(crate) type Series = Vec<Vec<f64>>;

/// Reads `[1, 2, 3]` (one channel) or `[[1, 10], [2, 20]]` (time, then channel).
///
/// `channels` is the required number, and the series it comes from.
pub(crate) fn parse(text: &str, channels: Option<(usize, &str)>) -> Result<Series, FieldFault> {
    let not_a_series = || FieldFault::NotA {
        text: text.to_owned(),
        expected: "a series, which is an array of numbers, or of arrays of numbers of one time step each",
    };
    let steps: Vec<&RawValue> = serde_json::from_str(text.trim()).map_err(|_| not_a_series())?;
    let mut series: Series = Vec::with_capacity(steps.len());
    for (step, raw) in steps.into_iter().map(RawValue::get).enumerate() {
        let values = if raw.starts_with('[') {
            let values: Vec<&RawValue> = serde_json::from_str(raw).map_err(|_| not_a_series())?;
            values
                .into_iter()
                .enumerate()
                .map(|(channel, value)| number(value.get(), step, Some(channel)))
                .collect::<Result<_, _>>()?
        } else {
            vec![number(raw, step, None)?]
        };
        let (expected, first) = match (channels, series.first()) {
            (Some((expected, place)), _) => (expected, Some(place.to_owned())),
            (None, Some(before)) => (before.len(), None),
            (None, None) => (values.len().max(1), None),
        };
        if values.len() != expected {
            return Err(FieldFault::Channels { step, found: values.len(), expected, first });
        }
        series.push(values);
    }
    if series.is_empty() { Err(FieldFault::EmptySeries) } else { Ok(series) }
}

fn number(raw: &str, step: usize, channel: Option<usize>) -> Result<f64, FieldFault> {
    match raw.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(FieldFault::SeriesValue { step, channel, text: raw.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(text, None).unwrap_err().to_string()
    }

    #[test]
    fn one_channel_or_many() {
        assert_eq!(parse("[1, -2.5e0]", None).unwrap(), [[1.0], [-2.5]]);
        assert_eq!(parse(" [[1,2],[3,4],[5,6]] ", None).unwrap(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        assert_eq!(parse("[7]", Some((1, "row 0"))).unwrap(), [[7.0]]);
    }

    #[test]
    fn faults_name_the_time_step() {
        assert_eq!(
            message("[1, null]"),
            "time step 1: \"null\" is not a finite number; fill it in, or leave out the row"
        );
        assert!(message("[[1, 2], [3, \"x\"]]").starts_with("time step 1, channel 1: \"\\\"x\\\"\" is not"));
        assert!(message("[1e400]").starts_with("time step 0: \"1e400\""));
        assert!(message("[]").contains("no time step"));
        assert!(message("[[]]").starts_with("time step 0 has 0 channels, but"));
        assert!(message("[[1,2],[3]]").starts_with("time step 1 has 1 channel, but time step 0 has 2;"));
        assert!(message("[[[1]]]").starts_with("time step 0, channel 0: \"[1]\" is not a finite number"));
        assert!(message("{}").contains("is not a series"));
        let other = parse("[1]", Some((2, "row 0 (line 1)"))).unwrap_err().to_string();
        assert!(other.starts_with("time step 0 has 1 channel, but row 0 (line 1) has 2;"), "{other}");
    }
}
