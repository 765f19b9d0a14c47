//! The machine-readable description of the server.

/// The `OpenAPI` document.
pub(crate) const DOCUMENT: &str = include_str!("openapi.json");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::DOCUMENT;

    fn references(value: &Value, all: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                all.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|value| references(value, all));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, all)),
            _ => {}
        }
    }

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let described: BTreeSet<&str> =
            document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let served: BTreeSet<&str> = crate::http::routes().iter().map(|(path, _)| *path).collect();
        assert_eq!(described, served);
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        let mut used = BTreeSet::new();
        references(&document, &mut used);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let known: BTreeSet<String> =
            schemas.keys().map(|name| format!("#/components/schemas/{name}")).collect();
        assert_eq!(used, known);
    }
}
