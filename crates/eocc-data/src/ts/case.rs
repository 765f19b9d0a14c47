//! One line of data of a `.ts` file: channels, then perhaps a label.

use crate::shown::shown;

/// How far a time step may differ from the first one, relative to it, and still count as equal.
const TOLERANCE: f64 = 1e-6;

/// The parts of a line between colons outside parentheses, which may contain a time of day.
pub(super) fn parts(line: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    line.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ':' && depth == 0
    })
    .collect()
}

/// The values of one channel: `1,2,3`, or with time stamps `(0,1),(1,2),(2,3)`.
pub(super) fn channel(text: &str, number: usize, time_stamps: bool) -> Result<Vec<f64>, String> {
    if text.trim().is_empty() {
        return Err(format!("channel {number} is empty; a series needs at least one value"));
    }
    if !time_stamps {
        return text.split(',').enumerate().map(|(at, text)| value(text, number, at)).collect();
    }
    let (mut values, mut times) = (Vec::new(), Vec::new());
    for (at, pair) in pairs(text).enumerate() {
        let (time, text) = pair.ok_or_else(|| {
            format!(
                "channel {number}, position {at}: no pair of time and value; write (time,value), or declare \
                 @timeStamps false"
            )
        })?;
        let Some(time) = time.trim().parse::<f64>().ok().filter(|time| time.is_finite()) else {
            return Err(format!(
                "channel {number}, position {at}: the time stamp {} is not a number; write seconds, or leave out the \
                 time stamps if they are equally spaced",
                shown(time.trim())
            ));
        };
        times.push(time);
        values.push(value(text, number, at)?);
    }
    equally_spaced(&times, number)?;
    Ok(values)
}

fn value(text: &str, number: usize, at: usize) -> Result<f64, String> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Err(_) if text == "?" || text.is_empty() => Err(format!(
            "channel {number}, position {at}: the value is missing; fill it in, for instance by interpolation, or leave \
             out the line"
        )),
        _ => Err(format!(
            "channel {number}, position {at}: {} is not a finite number; correct it, or leave out the line",
            shown(text)
        )),
    }
}

/// The pairs in parentheses; `None` for anything that is not a pair, which ends the iteration.
fn pairs(text: &str) -> impl Iterator<Item = Option<(&str, &str)>> {
    let mut rest = Some(text.trim());
    std::iter::from_fn(move || {
        let now = rest.take()?;
        let pair = now.strip_prefix('(').and_then(|inside| inside.split_once(')'));
        let Some((inside, behind)) = pair else { return Some(None) };
        let behind = behind.trim_start();
        if !behind.is_empty() {
            let Some(next) = behind.strip_prefix(',') else { return Some(None) };
            rest = Some(next.trim_start());
        }
        Some(inside.rsplit_once(','))
    })
}

/// Time stamps can be dropped only if they carry no more information than the order.
fn equally_spaced(times: &[f64], number: usize) -> Result<(), String> {
    let step = match times {
        [first, second, ..] => second - first,
        _ => return Ok(()),
    };
    let odd = times.windows(2).position(|pair| {
        let difference = pair[1] - pair[0];
        difference <= 0.0 || (difference - step).abs() > TOLERANCE * step.abs()
    });
    match odd {
        None => Ok(()),
        Some(at) => Err(format!(
            "channel {number}, position {}: the time goes from {} to {}, but by steps of {step} before; resample the \
             series to equal, growing steps",
            at + 1,
            times[at],
            times[at + 1]
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        assert_eq!(channel(" 1, -2.5,3e1", 0, false).unwrap(), [1.0, -2.5, 30.0]);
        assert_eq!(channel("(0,1),(0.1, 2), (0.2,3)", 0, true).unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(channel("(7,1)", 0, true).unwrap(), [1.0]);
        assert_eq!(parts("(08:00,1):2:a"), ["(08:00,1)", "2", "a"]);
    }

    #[test]
    fn faults_name_channel_and_position() {
        let plain = |text: &str| channel(text, 2, false).unwrap_err();
        assert!(plain("1,?,3").starts_with("channel 2, position 1: the value is missing; fill it in"));
        assert!(plain("1,").contains("position 1: the value is missing"));
        assert!(plain("1,NaN").contains("\"NaN\" is not a finite number"));
        assert!(plain("1e400").contains("\"1e400\" is not a finite number"));
        assert!(plain(" ").starts_with("channel 2 is empty"));
        let timed = |text: &str| channel(text, 0, true).unwrap_err();
        assert!(timed("1,2").contains("position 0: no pair of time and value"));
        assert!(timed("(0,1)(1,2)").contains("no pair"));
        assert!(
            timed("(0,1),(1,2),(3,4)").contains("position 2: the time goes from 1 to 3, but by steps of 1")
        );
        assert!(timed("(1,1),(0,2)").contains("growing"));
        assert!(timed("(2011-07-25 08:00,1)").contains("time stamp \"2011-07-25 08:00\" is not a number"));
        assert!(timed("(0,?)").contains("missing"));
        assert!(timed("(0,1),").contains("no pair"));
    }
}
