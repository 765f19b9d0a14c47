//! Many numbers in the state of a measure: exact, and not as text in a model file.
//!
//! In JSON they are `{"f64": "..."}`, sixteen hexadecimal digits for each number. A model file keeps them as tensors of
//! their own and only a name in the state ([`to_tensors`]), so that its description stays small whatever was learned; long
//! lists of other numbers too.

use std::cell::RefCell;

use serde::de::{Error as _, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::error::Result;
use crate::file::{Contents, damaged};

const HEX: &str = "f64";
const TENSOR: &str = "tensor";
/// What a list of numbers is called that was put into a tensor.
const LIST: &str = "list";
/// A list of numbers as long as this becomes a tensor.
const LONG: usize = 4096;
/// Digits of a number.
const DIGITS: usize = 16;

/// Numbers of a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Numbers(pub(crate) Vec<f64>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(HEX, &digits(&self.0))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "lowercase")]
        enum Stored {
            F64(Digits),
            Tensor(String),
        }
        match Stored::deserialize(deserializer)? {
            Stored::F64(digits) => Ok(Self(digits.0)),
            Stored::Tensor(name) => TENSORS.with_borrow(|contents| match contents.f64s(&name) {
                Ok((numbers, _)) => Ok(Self(numbers)),
                Err(e) => Err(D::Error::custom(e)),
            }),
        }
    }
}

thread_local! {
    /// Where tensors are found that a state names, while it is read.
    static TENSORS: RefCell<Contents> = RefCell::default();
}

/// The numbers of a text of digits, which may be long: it is read where it stands.
struct Digits(Vec<f64>);

impl<'de> Deserialize<'de> for Digits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Digits;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("sixteen hexadecimal digits for each number")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Digits, E> {
                parsed(text).map(Digits).ok_or_else(|| E::custom("the digits are not those of numbers"))
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

fn digits(numbers: &[f64]) -> String {
    const TABLE: &[u8; 16] = b"0123456789abcdef";
    // Both digits of each byte: there may be millions.
    let pairs: [[u8; 2]; 256] = std::array::from_fn(|byte| [TABLE[byte >> 4], TABLE[byte & 15]]);
    let mut text = Vec::with_capacity(DIGITS * numbers.len());
    for number in numbers {
        for byte in number.to_bits().to_be_bytes() {
            text.extend_from_slice(&pairs[byte as usize]);
        }
    }
    String::from_utf8(text).unwrap_or_default()
}

fn parsed(text: &str) -> Option<Vec<f64>> {
    const NONE: u8 = 16;
    let value = |byte: usize| char::from(byte as u8).to_digit(16).map_or(NONE, |d| d as u8);
    let values: [u8; 256] = std::array::from_fn(value);
    let (numbers, rest) = text.as_bytes().as_chunks::<DIGITS>();
    let number = |digits: &[u8; DIGITS]| {
        let (mut bits, mut all) = (0_u64, 0);
        for d in digits {
            let value = values[*d as usize];
            all |= value;
            bits = bits << 4 | u64::from(value & 15);
        }
        (all < NONE).then_some(f64::from_bits(bits))
    };
    if rest.is_empty() { numbers.iter().map(number).collect() } else { None }
}

/// The state with all its [`Numbers`] put into tensors whose names begin with `name`.
pub(crate) fn to_tensors(state: Value, name: &str, out: &mut Contents) -> Value {
    replace(state, &mut |value, count| {
        let (key, numbers) = match value {
            Value::Object(object) => {
                (TENSOR, parsed(object.get(HEX)?.as_str()?).filter(|_| object.len() == 1)?)
            }
            // Whole numbers are counts and codes, which are to stay such.
            Value::Array(all) if all.len() >= LONG && all.iter().all(Value::is_f64) => {
                (LIST, all.iter().filter_map(Value::as_f64).collect())
            }
            _ => return None,
        };
        let tensor = format!("{name}.{count}");
        out.put_f64(&tensor, &[numbers.len()], &numbers);
        Some(serde_json::json!({ key: tensor }))
    })
}

/// Reads a state, its lists back in place; [`Numbers`] in it are found in their tensors.
pub(crate) fn from_tensors<T>(
    state: Value,
    contents: &Contents,
    read: impl FnOnce(&Value) -> Result<T>,
) -> Result<T> {
    let mut missing = None;
    let state = replace(state, &mut |value, _| {
        let object = value.as_object().filter(|object| object.len() == 1)?;
        match contents.f64s(object.get(LIST)?.as_str()?) {
            Ok((numbers, _)) => Some(numbers.into()),
            Err(e) => {
                missing = Some(e);
                None
            }
        }
    });
    if let Some(e) = missing {
        return Err(damaged(e.to_string()));
    }
    // They share the bytes of the file: nothing is copied.
    let before = TENSORS.replace(contents.clone());
    let result = read(&state);
    TENSORS.set(before);
    result
}

/// Replaces objects and lists within a value, numbered in order.
fn replace(value: Value, with: &mut impl FnMut(&Value, usize) -> Option<Value>) -> Value {
    fn inner(
        value: Value,
        count: &mut usize,
        with: &mut impl FnMut(&Value, usize) -> Option<Value>,
    ) -> Value {
        if let Some(other) = with(&value, *count) {
            *count += 1;
            return other;
        }
        match value {
            Value::Object(object) => {
                Value::Object(object.into_iter().map(|(k, v)| (k, inner(v, count, with))).collect())
            }
            Value::Array(all) => Value::Array(all.into_iter().map(|v| inner(v, count, with)).collect()),
            other => other,
        }
    }
    inner(value, &mut 0, with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_to_the_bit() {
        let numbers = Numbers(vec![0.1, -0.0, 1e-320, f64::MAX, -3.5]);
        let text = serde_json::to_string(&numbers).unwrap();
        let again: Numbers = serde_json::from_str(&text).unwrap();
        assert_eq!(digits(&again.0), digits(&numbers.0));
        for bad in [r#"{"f64":"12"}"#, r#"{"f64":"zzzzzzzzzzzzzzzz"}"#, "[1.0]"] {
            assert!(serde_json::from_str::<Numbers>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_state_keeps_its_numbers_in_tensors() {
        let state =
            serde_json::json!({ "a": [Numbers(vec![1.0, 2.0]), { "b": Numbers(vec![3.0]) }], "c": 4 });
        let mut contents = Contents::default();
        let stored = to_tensors(state.clone(), "state", &mut contents);
        assert_eq!(stored["a"][1]["b"], serde_json::json!({ "tensor": "state.1" }));
        assert_eq!(contents.f64s("state.0").unwrap().0, [1.0, 2.0]);
        let read = |value: &Value| Ok(Numbers::deserialize(&value["a"][1]["b"]).unwrap());
        assert_eq!(from_tensors(stored, &contents, read).unwrap().0, [3.0]);
        let long: Vec<f64> = (0..LONG).map(|i| i as f64 / 3.0).collect();
        let state = serde_json::json!({ "weights": long, "counts": vec![1; LONG] });
        let stored = to_tensors(state.clone(), "state", &mut contents);
        assert_eq!(stored["weights"], serde_json::json!({ "list": "state.0" }));
        assert_eq!(from_tensors(stored, &contents, |value| Ok(value.clone())).unwrap(), state);
        let forged = serde_json::json!({ "tensor": "elsewhere" });
        let read = |value: &Value| Numbers::deserialize(value).map_err(|e| damaged(e.to_string()));
        assert!(from_tensors(forged, &contents, read).is_err());
        let forged = serde_json::json!({ "list": "elsewhere" });
        assert!(from_tensors(forged, &contents, |_| Ok(())).is_err());
        // Nothing is found outside.
        assert!(Numbers::deserialize(&serde_json::json!({ "tensor": "state.0" })).is_err());
    }
}
