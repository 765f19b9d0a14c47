//! Dates and timestamps: parsed from the common formats into seconds since the Unix epoch.
//!
//! A timestamp without a zone is read as UTC: only differences, the time of day and the weekday matter, and these come
//! out as in the source's local time.

use std::f64::consts::TAU;

use eocc_core::sample::DateValue;

use crate::cell::Cell;

/// Seconds per day.
pub(crate) const DAY: f64 = 86_400.0;
/// Years accepted in dates.
const YEARS: std::ops::RangeInclusive<i64> = 1000..=9999;
/// Names of the months by their first three letters.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Which number is the day in `3/4/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayMonth {
    /// The first.
    DayFirst,
    /// The second, as in the United States; also the default if the cells are ambiguous.
    MonthFirst,
}

impl DayMonth {
    /// The order under which all these texts parse as dates: month first, unless a day greater than 12 decides otherwise.
    pub(crate) fn detect<'a>(mut texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        [Self::MonthFirst, Self::DayFirst]
            .into_iter()
            .find(|order| texts.clone().all(|t| seconds(t, *order).is_some()))
            .filter(|_| texts.next().is_some())
    }
}

/// The seconds of a cell with a date: a typed timestamp, a text, or a number of seconds (or fractions of them,
/// depending on its size) since 1970.
pub(crate) fn of_cell(cell: Cell<'_>, order: DayMonth) -> Option<f64> {
    match cell {
        Cell::Time(value) => Some(value).filter(|v| v.is_finite()),
        Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) => {
            seconds(text, order).or_else(|| Cell::Raw(text).number().ok().and_then(of_number))
        }
        cell => cell.number().ok().and_then(of_number),
    }
}

/// Seconds since 1970 from a number of seconds, milliseconds, microseconds or nanoseconds, for the years 1653 to
/// 5138.
fn of_number(value: f64) -> Option<f64> {
    let units = [(1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9)];
    units.iter().find(|(end, _)| value.abs() < *end).map(|(_, per_second)| value / per_second)
}

/// The seconds of a date in one of these formats: `2024-03-01`, `2024/03/01`, `01.03.2024`, `3/1/2024`, `1 Mar 2024`,
/// `Mar 1, 2024`, optionally followed by a time, `14:30`, `14:30:05.25`, `2:30 PM`, and a zone, `Z`, `UTC`, `+01:00`.
pub(crate) fn seconds(text: &str, order: DayMonth) -> Option<f64> {
    let text = text.trim();
    // A quick check for texts that cannot be dates.
    if !(6..=40).contains(&text.len()) || !text.is_ascii() || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let (day, rest) = day_of(text, order)?;
    let (time, rest) = time_of(rest)?;
    let zone = zone_of(rest)?;
    Some(day as f64 * DAY + time - zone)
}

/// Whether the text of a timestamp includes a time zone.
pub(crate) fn has_zone(text: &str) -> bool {
    let rest = day_of(text.trim(), DayMonth::DayFirst)
        .or_else(|| day_of(text.trim(), DayMonth::MonthFirst))
        .and_then(|(_, rest)| time_of(rest));
    rest.is_some_and(|(_, rest)| !rest.trim().is_empty())
}

/// A timestamp in ISO 8601 format, omitting the time at midnight and a zero fraction of a second.
pub(crate) fn text(seconds: f64) -> String {
    let day = (seconds / DAY).floor();
    let rest = seconds - day * DAY;
    let (year, month, day) = civil(day as i64);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if rest <= 0.0 {
        return date;
    }
    let (minutes, second) = ((rest / 60.0).floor(), rest % 60.0);
    let (hour, minute) = ((minutes / 60.0).floor(), minutes % 60.0);
    let second = if second.fract() > 0.0 { format!("{second:09.6}") } else { format!("{second:02}") };
    format!("{date}T{hour:02}:{minute:02}:{second}")
}

/// Year, month and day of a number of days since 1970; see [`days`].
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The value derived from a date: days since 1970, or coordinates on the circles of a day and a week, which starts on
/// Monday.
pub(crate) fn value(seconds: f64, of: DateValue) -> f64 {
    let days = seconds / DAY;
    let hour = || TAU * (days - days.floor());
    // 1970 began on a Thursday.
    let weekday = || TAU * (days.floor() + 3.0).rem_euclid(7.0) / 7.0;
    match of {
        DateValue::Elapsed => days,
        DateValue::HourSine => hour().sin(),
        DateValue::HourCosine => hour().cos(),
        DateValue::WeekdaySine => weekday().sin(),
        DateValue::WeekdayCosine => weekday().cos(),
    }
}

/// The name of a feature derived from a column of dates.
pub(crate) fn feature_name(column: &str, value: DateValue) -> String {
    match value {
        DateValue::Elapsed => column.to_owned(),
        DateValue::HourSine => format!("{column} (hour, sine)"),
        DateValue::HourCosine => format!("{column} (hour, cosine)"),
        DateValue::WeekdaySine => format!("{column} (weekday, sine)"),
        DateValue::WeekdayCosine => format!("{column} (weekday, cosine)"),
    }
}

/// The features of a column of times of day.
pub(crate) const TIME_OF_DAY: [DateValue; 2] = [DateValue::HourSine, DateValue::HourCosine];

/// The features of a column of dates; no time of day if all are at midnight.
pub(crate) fn features(seconds: &[Option<f64>]) -> Vec<DateValue> {
    let has_times = seconds.iter().flatten().any(|s| s.rem_euclid(DAY) > 0.0);
    let mut all = vec![DateValue::Elapsed];
    if has_times {
        all.extend(TIME_OF_DAY);
    }
    all.extend([DateValue::WeekdaySine, DateValue::WeekdayCosine]);
    all
}

/// A number of days since the start of 1970 in ISO 8601 format.
pub fn date_text(days: f64) -> String {
    text(days * DAY)
}

/// Days since 1970, and the text after the date.
fn day_of(text: &str, order: DayMonth) -> Option<(i64, &str)> {
    let mut reader = Reader(text);
    if text.as_bytes()[0].is_ascii_alphabetic() {
        // Mar 1, 2024; the name of the day may precede it.
        let mut word = reader.word();
        if is_weekday(word) {
            reader.skip(",. ");
            if reader.0.as_bytes().first()?.is_ascii_digit() {
                return day_of(reader.0, order);
            }
            word = reader.word();
        }
        let month = month_of(word)?;
        reader.skip(". ");
        let day = reader.number(1, 2)?;
        reader.skip(", ");
        let year = reader.number(4, 4)?;
        return Some((days(year, month, day)?, reader.0));
    }
    let digits = reader.0.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 8 && text.as_bytes().get(8) == Some(&b'T') {
        // 20240301T143005
        let (year, month, day) = (reader.digits(4)?, reader.digits(2)?, reader.digits(2)?);
        return Some((days(year, month, day)?, reader.0));
    }
    let first = reader.number(1, 4)?;
    let mark = reader.0.chars().next()?;
    if digits == 4 {
        // 2024-03-01
        if !matches!(mark, '-' | '/' | '.') {
            return None;
        }
        reader.take(mark)?;
        let month = reader.number(1, 2)?;
        reader.take(mark)?;
        let day = reader.number(1, 2)?;
        return Some((days(first, month, day)?, reader.0));
    }
    if digits > 2 {
        return None;
    }
    reader.skip(if mark == ' ' { " " } else { "-/. " });
    if reader.0.as_bytes().first()?.is_ascii_alphabetic() {
        // 1 Mar 2024, 1-Mar-2024
        let month = month_of(reader.word())?;
        reader.skip("-/., ");
        let year = reader.number(4, 4)?;
        return Some((days(year, month, first)?, reader.0));
    }
    if !matches!(mark, '-' | '/' | '.') {
        return None;
    }
    let second = reader.number(1, 2)?;
    reader.take(mark)?;
    let year = match reader.0.bytes().take_while(u8::is_ascii_digit).count() {
        // Two-digit years mean 1970 to 2069.
        2 if mark != '-' => reader.digits(2).map(|year| if year < 70 { 2000 + year } else { 1900 + year })?,
        _ => reader.number(4, 4)?,
    };
    // With dots, the day comes first.
    let day_first = mark == '.' || order == DayMonth::DayFirst;
    let (day, month) = if day_first { (first, second) } else { (second, first) };
    Some((days(year, month, day)?, reader.0))
}

/// Seconds since midnight, 0 if there is no time, and the text after it; `None` if it is not a time.
fn time_of(rest: &str) -> Option<(f64, &str)> {
    if rest.is_empty() {
        return Some((0.0, rest));
    }
    let mut reader = Reader(rest.strip_prefix(['T', 't', ' ', ':']).or_else(|| rest.strip_prefix(", "))?);
    reader.skip(" ");
    if reader.0.len() >= 6 && reader.0.bytes().take(6).all(|b| b.is_ascii_digit()) {
        let (hour, minute, second) = (reader.digits(2)?, reader.digits(2)?, reader.digits(2)?);
        let is_sound = hour < 24 && minute < 60 && second < 61;
        return is_sound.then_some(((hour * 3600 + minute * 60 + second) as f64, reader.0));
    }
    let mut hour = reader.number(1, 2)?;
    reader.take(':')?;
    let minute = reader.number(2, 2)?;
    let mut second = 0.0;
    if reader.0.starts_with(':') {
        reader.take(':')?;
        second = reader.number(2, 2)? as f64;
        if reader.0.starts_with(['.', ',']) {
            let length = 1 + reader.0[1..].bytes().take_while(u8::is_ascii_digit).count();
            let (fraction, after) = reader.0.split_at(length);
            second += format!("0.{}", fraction.get(1..).filter(|f| !f.is_empty())?).parse::<f64>().ok()?;
            reader.0 = after;
        }
    }
    let after = reader.0.trim_start();
    for (word, is_afternoon) in [("am", false), ("pm", true)] {
        if after.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
            if !(1..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + if is_afternoon { 12 } else { 0 };
            reader.0 = &after[2..];
        }
    }
    // Leap seconds are written as 60.
    let is_sound = hour < 24 && minute < 60 && second < 61.0;
    is_sound.then_some(((hour * 3600 + minute * 60) as f64 + second, reader.0))
}

/// Seconds by which a zone is ahead of UTC, 0 if there is none; `None` if the text is not a zone.
fn zone_of(rest: &str) -> Option<f64> {
    let rest = rest.trim();
    if rest.is_empty() || ["z", "utc", "gmt"].iter().any(|word| rest.eq_ignore_ascii_case(word)) {
        return Some(0.0);
    }
    let sign = match rest.as_bytes()[0] {
        b'+' => 1.0,
        b'-' => -1.0,
        _ => return None,
    };
    let mut reader = Reader(&rest[1..]);
    let hours = reader.digits(2)?;
    reader.skip(":");
    let minutes = if reader.0.is_empty() { 0 } else { reader.digits(2)? };
    (reader.0.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60) as f64)
}

fn is_weekday(word: &str) -> bool {
    let start = word.get(..3).unwrap_or_default().to_ascii_lowercase();
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].contains(&start.as_str())
        && word.ends_with(|c: char| c.is_ascii_lowercase())
}

fn month_of(word: &str) -> Option<i64> {
    let start = word.get(..3)?.to_ascii_lowercase();
    (1..).zip(MONTHS).find(|(_, month)| *month == start).map(|(number, _)| number)
}

/// Days from the start of 1970 to a day of the Gregorian calendar, after Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms".
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !YEARS.contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// A cursor over the text not yet parsed.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let length = self.0.bytes().take_while(u8::is_ascii_digit).count();
        if !(least..=most).contains(&length) {
            return None;
        }
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        digits.parse().ok()
    }

    /// A number with exactly this many digits, whatever follows.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    fn word(&mut self) -> &'a str {
        let length = self.0.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = self.0.split_at(length);
        self.0 = rest;
        word
    }

    fn take(&mut self, mark: char) -> Option<()> {
        self.0 = self.0.strip_prefix(mark)?;
        Some(())
    }

    fn skip(&mut self, marks: &str) {
        self.0 = self.0.trim_start_matches(|c| marks.contains(c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<f64> {
        seconds(text, DayMonth::MonthFirst)
    }

    /// Seconds from Python's `datetime(...).timestamp()` in UTC.
    #[test]
    fn dates_as_people_write_them() {
        let march = 1_709_251_200.0;
        for text in [
            "2024-03-01",
            " 2024/3/1 ",
            "2024.03.01",
            "01.03.2024",
            "3/1/2024",
            "03-01-2024",
            "1 Mar 2024",
            "1-Mar-2024",
            "March 1, 2024",
            "Mar 1 2024",
            "Fri, 1 Mar 2024",
            "Friday, March 1, 2024",
            "2024-03-01T00:00:00Z",
            "2024-03-01 00:00",
            "2024-03-01 12:00 AM",
            "2024-03-01T01:30:00+01:30",
            "2024-02-29T23:59:60",
            "3/1/24",
            "1.3.24",
            "1. March 2024",
            "Fri, 01 Mar 2024 01:00:00 +0100",
            "2024-03-01 02:00:00+0200",
            "20240301T000000",
            "01/Mar/2024:00:00:00 +0000",
        ] {
            assert_eq!(at(text), Some(march), "{text}");
        }
        assert_eq!(at("1969-12-31 23:59:59.5"), Some(-0.5));
        assert_eq!(at("2000-02-29 14:30:05,25"), Some(951_834_605.25));
        assert_eq!(at("7/4/1776 2:15 pm"), Some(-6_106_009_500.0));
        assert_eq!(seconds("3/1/2024", DayMonth::DayFirst), Some(1_704_240_000.0));
    }

    #[test]
    fn timestamps_round_trip() {
        for text in ["1776-07-04", "1969-12-31T23:59:59", "2000-02-29T14:30:05", "2024-12-31", "1600-03-01"] {
            assert_eq!(super::text(at(text).unwrap()), text);
        }
        assert_eq!(super::text(951_834_605.25), "2000-02-29T14:30:05.250000");
    }

    #[test]
    fn hours_and_weekdays_lie_on_circles() {
        // A Monday at six in the morning.
        let monday = at("2024-03-04 06:00").unwrap();
        assert!((value(monday, DateValue::HourSine) - 1.0).abs() < 1e-12);
        assert!(value(monday, DateValue::WeekdaySine).abs() < 1e-12);
        assert!((value(monday, DateValue::WeekdayCosine) - 1.0).abs() < 1e-12);
        assert!((value(monday, DateValue::Elapsed) - 19_786.25).abs() < 1e-9);
        assert_eq!(features(&[Some(0.0), None]).len(), 3);
        assert_eq!(features(&[Some(monday)]).len(), 5);
    }

    #[test]
    fn texts_that_are_not_dates_are_rejected() {
        for text in [
            "",
            "2024",
            "12:30",
            "2024-13-01",
            "2023-02-29",
            "1.2.3",
            "13.13.24",
            "1-2-24",
            "10.0.0.1",
            "31/31/2024",
            "555-123-4567",
            "2024-03-01x",
            "2024-03-01 25:00",
            "2024-03/01",
            "A-2024-03",
            "1/2",
            "3.14159",
            "12-34",
            "2024-03-01 14",
            "May",
            "20240301",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn days_above_twelve_decide_the_order() {
        let of = |texts: &[&'static str]| DayMonth::detect(texts.iter().copied());
        assert_eq!(of(&["1/2/2024", "13/2/2024"]), Some(DayMonth::DayFirst));
        assert_eq!(of(&["1/2/2024", "2/13/2024"]), Some(DayMonth::MonthFirst));
        assert_eq!(of(&["1/2/2024"]), Some(DayMonth::MonthFirst));
        assert_eq!(of(&["13/2/2024", "2/13/2024"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn magnitude_determines_the_unit() {
        for value in [1.7e9, 1.7e12, 1.7e15, 1.7e18] {
            assert_eq!(of_cell(Cell::Float(value), DayMonth::MonthFirst), Some(1.7e9));
        }
        assert_eq!(of_cell(Cell::Time(5.0), DayMonth::MonthFirst), Some(5.0));
        assert_eq!(of_cell(Cell::Raw("x"), DayMonth::MonthFirst), None);
    }
}
