//! Events as JSON Lines, and as lines for people.

use eocc_core::stream::Event;
use serde_json::{Map, Value, json};

/// An event as it happened, without later answers.
pub(crate) fn json_of(event: &Event) -> Value {
    let mut fields = Map::new();
    fields.insert("event".into(), json!(event.kind.name()));
    fields.insert("id".into(), json!(event.id));
    fields.insert("time".into(), json!(event.time));
    let optional = [
        ("alarm", event.alarm.map(|id| json!(id))),
        ("measure", event.measure.as_ref().map(|name| json!(name))),
        ("since", event.since.map(|time| json!(time))),
        ("rejected", event.rejected.map(|share| json!(share))),
        ("samples", event.samples.map(|count| json!(count))),
        ("kept", event.kept.map(|count| json!(count))),
    ];
    for (name, value) in optional {
        fields.insert(name.into(), value.unwrap_or(Value::Null));
    }
    fields.insert("question".into(), json!(event.is_question));
    fields.insert("advice".into(), json!(event.advice()));
    Value::Object(fields)
}

/// An event as one line.
pub(crate) fn line_of(event: &Event) -> String {
    format!("{} {} at sample {}: {}", event.kind.name(), event.id, event.time, event.advice())
}
