//! Parameters from the facade: values by name, set by the library's table of parameters.

use eocc_core::{Error, OneClass, Preset, ValidParams};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use serde_json::Value;

use crate::error::exception;

/// Checked parameters from a dictionary; `None` means the preset's value.
pub(crate) fn checked(given: &Bound<'_, PyDict>) -> PyResult<ValidParams> {
    let mut params = OneClass::default();
    if let Some(name) = given.get_item("preset")? {
        let name: String = name.extract()?;
        let preset = Preset::named(&name)
            .ok_or_else(|| Error::parameter("preset", format!("`{name}`"), "default or paper"));
        params = OneClass::new(preset.map_err(|e| exception(&e))?);
    }
    for parameter in &eocc_core::parameters::PARAMETERS {
        match given.get_item(parameter.name)? {
            Some(value) if !value.is_none() => {
                let value = json(parameter.name, &value)?;
                params.set(parameter.name, &value).map_err(|e| exception(&e))?;
            }
            _ => {}
        }
    }
    params.seed = given.get_item("seed")?.map_or(Ok(0), |seed| seed.extract())?;
    params.memory = given.get_item("memory")?.map_or(Ok(None), |memory| memory.extract())?;
    params.check().map_err(|e| exception(&e))
}

/// A number or a text.
fn json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(format!("{name} is {value}, but must be a number or a text")));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(Value::String(text));
    }
    if let Ok(count) = value.extract::<i64>() {
        return Ok(Value::from(count));
    }
    let number: f64 = value
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("{name} is {value}, but must be a number or a text")))?;
    // NaN and infinity, which JSON does not have, are not allowed in parameters either, and appear in the message.
    Ok(serde_json::Number::from_f64(number).map_or_else(|| Value::String(number.to_string()), Value::Number))
}

/// The parameters of a fitted model that differ from its preset's, for the facade's constructor.
pub(crate) fn describe<'py>(py: Python<'py>, params: &OneClass) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("preset", params.preset.name())?;
    out.set_item("random_state", params.seed)?;
    for (name, value) in params.changed() {
        match &value {
            Value::String(text) => out.set_item(name, text)?,
            value if value.is_u64() => out.set_item(name, value.as_u64())?,
            value => out.set_item(name, value.as_f64())?,
        }
    }
    Ok(out)
}
