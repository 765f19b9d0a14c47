//! Long lists of numbers in the state of a measure: exact, and not as text in a model file.
//!
//! In JSON they are `{"f64": "..."}`, sixteen hexadecimal digits per number. A model file stores them, and other long
//! lists of numbers, as separate tensors with only a name in the state ([`to_tensors`]), so that its description
//! stays small whatever was learned.

use serde::de::Visitor;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::error::Result;
use crate::file::{Contents, damaged};

const HEX: &str = "f64";
const TENSOR: &str = "tensor";
/// Key of a list of numbers that was moved to a tensor.
const LIST: &str = "list";
/// Minimum length of a list that is moved to a tensor.
const LONG: usize = 4096;
/// Digits per number.
const DIGITS: usize = 16;

/// The state of a measure being read: JSON, and the tensors that it may refer to.
#[derive(Clone, Copy)]
pub struct State<'a> {
    value: &'a Value,
    tensors: Option<&'a Contents>,
}

impl<'a> From<&'a Value> for State<'a> {
    /// A state that refers to no tensors.
    fn from(value: &'a Value) -> Self {
        Self { value, tensors: None }
    }
}

impl<'a> State<'a> {
    /// The state as a value of this type.
    pub fn read<T: Deserialize<'a>>(&self) -> Result<T> {
        T::deserialize(self.value)
            .map_err(|e| damaged(format!("the dissimilarity's state is not readable: {e}")))
    }

    /// A state within this one.
    #[must_use]
    pub fn part<'b>(&self, value: &'b Value) -> State<'b>
    where
        'a: 'b,
    {
        State { value, tensors: self.tensors }
    }

    /// Numbers that were read from the state, wherever they are stored.
    pub(crate) fn numbers(&self, numbers: Numbers) -> Result<Vec<f64>> {
        match (numbers, self.tensors) {
            (Numbers::Here(numbers), _) => Ok(numbers),
            (Numbers::Tensor(name), Some(tensors)) => Ok(tensors.f64s(&name)?.0),
            (Numbers::Tensor(name), None) => Err(damaged(format!("tensor `{name}` is missing"))),
        }
    }
}

/// Numbers of a state, or the name of the tensor that holds them; [`State::numbers`] resolves it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Numbers {
    Here(Vec<f64>),
    Tensor(String),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Here(Vec::new())
    }
}

impl Numbers {
    /// The numbers; empty if they are in a tensor.
    pub(crate) fn values(&self) -> &[f64] {
        match self {
            Self::Here(numbers) => numbers,
            Self::Tensor(_) => &[],
        }
    }

    pub(crate) fn into_values(self) -> Vec<f64> {
        match self {
            Self::Here(numbers) => numbers,
            Self::Tensor(_) => Vec::new(),
        }
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(HEX, &digits(self.values()))?;
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
        Ok(match Stored::deserialize(deserializer)? {
            Stored::F64(digits) => Self::Here(digits.0),
            Stored::Tensor(name) => Self::Tensor(name),
        })
    }
}

/// The numbers of a text of digits, parsed in place because it may be long.
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
    // Both digits of each byte at once: there may be millions.
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

/// The state with all its [`Numbers`] moved to tensors whose names begin with `name`.
pub(crate) fn to_tensors(state: Value, name: &str, out: &mut Contents) -> Value {
    replace(state, &mut |value, count| {
        let (key, numbers) = match value {
            Value::Object(object) => {
                (TENSOR, parsed(object.get(HEX)?.as_str()?).filter(|_| object.len() == 1)?)
            }
            // Integers are counts and codes, and must stay integers.
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

/// Reads a state with its lists restored; its [`Numbers`] are found in their tensors.
pub(crate) fn from_tensors<T>(
    state: Value,
    contents: &Contents,
    read: impl FnOnce(&State<'_>) -> Result<T>,
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
    read(&State { value: &state, tensors: Some(contents) })
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
        let numbers = vec![0.1, -0.0, 1e-320, f64::MAX, -3.5];
        let text = serde_json::to_string(&Numbers::Here(numbers.clone())).unwrap();
        let again: Numbers = serde_json::from_str(&text).unwrap();
        assert_eq!(digits(again.values()), digits(&numbers));
        for bad in [r#"{"f64":"12"}"#, r#"{"f64":"zzzzzzzzzzzzzzzz"}"#, "[1.0]"] {
            assert!(serde_json::from_str::<Numbers>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_state_keeps_its_numbers_in_tensors() {
        let here = |numbers: &[f64]| Numbers::Here(numbers.to_vec());
        let state = serde_json::json!({ "a": [here(&[1.0, 2.0]), { "b": here(&[3.0]) }], "c": 4 });
        let mut contents = Contents::default();
        let stored = to_tensors(state.clone(), "state", &mut contents);
        assert_eq!(stored["a"][1]["b"], serde_json::json!({ "tensor": "state.1" }));
        assert_eq!(contents.f64s("state.0").unwrap().0, [1.0, 2.0]);
        let read = |state: &State<'_>| state.numbers(state.part(&state.value["a"][1]["b"]).read()?);
        assert_eq!(from_tensors(stored, &contents, read).unwrap(), [3.0]);
        let long: Vec<f64> = (0..LONG).map(|i| i as f64 / 3.0).collect();
        let state = serde_json::json!({ "weights": long, "counts": vec![1; LONG] });
        let stored = to_tensors(state.clone(), "state", &mut contents);
        assert_eq!(stored["weights"], serde_json::json!({ "list": "state.0" }));
        assert_eq!(from_tensors(stored, &contents, |read| Ok(read.value.clone())).unwrap(), state);
        let forged = serde_json::json!({ "tensor": "elsewhere" });
        let read = |state: &State<'_>| state.numbers(state.read()?);
        assert!(from_tensors(forged, &contents, read).is_err());
        let forged = serde_json::json!({ "list": "elsewhere" });
        assert!(from_tensors(forged, &contents, |_| Ok(())).is_err());
        // Nothing is found outside.
        let named = serde_json::json!({ "tensor": "state.0" });
        assert!(read(&State::from(&named)).is_err());
    }
}
