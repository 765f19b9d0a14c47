//! Types, generics and signatures of rustdoc's JSON as text, close to Rust syntax.
//!
//! Paths are shortened to their last segment; elided lifetimes stay elided.

use serde_json::Value;

/// A type.
pub(crate) fn ty(t: &Value) -> String {
    let Some((kind, v)) = t.as_object().and_then(|t| t.iter().next()) else {
        // `infer` is a plain string.
        return "_".to_owned();
    };
    match kind.as_str() {
        "primitive" | "generic" => word(v).to_owned(),
        "resolved_path" => path(v),
        "tuple" => match list(v).as_slice() {
            [one] => format!("({},)", ty(one)),
            all => format!("({})", join(all, ty)),
        },
        "slice" => format!("[{}]", ty(v)),
        "array" => format!("[{}; {}]", ty(&v["type"]), word(&v["len"])),
        "borrowed_ref" => {
            let lifetime = v["lifetime"].as_str().map(|l| format!("{l} ")).unwrap_or_default();
            format!("&{lifetime}{}{}", if is(&v["is_mutable"]) { "mut " } else { "" }, grouped(&v["type"]))
        }
        "raw_pointer" => {
            format!("*{} {}", if is(&v["is_mutable"]) { "mut" } else { "const" }, ty(&v["type"]))
        }
        "dyn_trait" => {
            let mut all: Vec<String> = list(&v["traits"]).iter().map(|t| poly_trait(t)).collect();
            all.extend(v["lifetime"].as_str().map(str::to_owned));
            format!("dyn {}", all.join(" + "))
        }
        "impl_trait" => format!("impl {}", bounds(v)),
        "function_pointer" => format!("{}fn{}", binder(&v["generic_params"]), signature(&v["sig"])),
        "qualified_path" => {
            let name = format!("{}{}", word(&v["name"]), arguments(&v["args"]));
            // Within a trait, its own items are written without its name.
            match path(&v["trait"]).as_str() {
                "" => format!("{}::{name}", ty(&v["self_type"])),
                of => format!("<{} as {of}>::{name}", ty(&v["self_type"])),
            }
        }
        // Anything new is printed as JSON, so that a change of it is noticed.
        _ => t.to_string(),
    }
}

/// `(a: A, b: B) -> C`
pub(crate) fn signature(sig: &Value) -> String {
    let inputs = join(&list(&sig["inputs"]), |input| receiver(word(&input[0]), &ty(&input[1])));
    match &sig["output"] {
        Value::Null => format!("({inputs})"),
        output => format!("({inputs}) -> {}", ty(output)),
    }
}

/// Only the type of an argument matters to a caller; for `self`, how it is taken.
fn receiver(name: &str, ty: &str) -> String {
    match (name, ty) {
        ("self", "Self") => "self".to_owned(),
        ("self", "&Self") => "&self".to_owned(),
        ("self", "&mut Self") => "&mut self".to_owned(),
        ("self", other) => format!("self: {other}"),
        _ => ty.to_owned(),
    }
}

/// `const unsafe fn name<T>(…) -> … where …`
pub(crate) fn function(name: &str, f: &Value) -> String {
    let header = &f["header"];
    let mut words = String::new();
    for (key, text) in [("is_const", "const "), ("is_async", "async "), ("is_unsafe", "unsafe ")] {
        words += if is(&header[key]) { text } else { "" };
    }
    let (generics, wheres) = generics(&f["generics"]);
    format!("{words}fn {name}{generics}{}{wheres}", signature(&f["sig"]))
}

/// `<T: A>` and ` where …`, either empty.
pub(crate) fn generics(g: &Value) -> (String, String) {
    // The meaning of `impl Trait` is shown in the argument itself.
    let named = |p: &&Value| !is(&p["kind"]["type"]["is_synthetic"]);
    let params: Vec<String> = list(&g["params"]).into_iter().filter(named).map(param).collect();
    let wheres: Vec<String> = list(&g["where_predicates"]).into_iter().map(predicate).collect();
    (
        if params.is_empty() { String::new() } else { format!("<{}>", params.join(", ")) },
        if wheres.is_empty() { String::new() } else { format!(" where {}", wheres.join(", ")) },
    )
}

fn param(p: &Value) -> String {
    let name = word(&p["name"]);
    let (kind, v) = first(&p["kind"]);
    let colon = |bounds: String| if bounds.is_empty() { bounds } else { format!(": {bounds}") };
    match kind {
        "lifetime" => {
            format!("{name}{}", colon(join_with(&list(&v["outlives"]), " + ", |l| word(l).to_owned())))
        }
        "const" => format!("const {name}: {}", ty(&v["type"])),
        _ => {
            let default =
                if v["default"].is_null() { String::new() } else { format!(" = {}", ty(&v["default"])) };
            format!("{name}{}{default}", colon(bounds(&v["bounds"])))
        }
    }
}

fn predicate(p: &Value) -> String {
    let (kind, v) = first(p);
    match kind {
        "bound_predicate" => {
            format!("{}{}: {}", binder(&v["generic_params"]), ty(&v["type"]), bounds(&v["bounds"]))
        }
        "lifetime_predicate" => {
            format!(
                "{}: {}",
                word(&v["lifetime"]),
                join_with(&list(&v["outlives"]), " + ", |l| word(l).to_owned())
            )
        }
        "eq_predicate" => format!("{} == {}", ty(&v["lhs"]), term(&v["rhs"])),
        _ => p.to_string(),
    }
}

/// `A + ?Sized + 'a`
pub(crate) fn bounds(b: &Value) -> String {
    join_with(&list(b), " + ", |bound| {
        let (kind, v) = first(bound);
        match kind {
            "trait_bound" => {
                let modifier = if v["modifier"].as_str() == Some("maybe") { "?" } else { "" };
                format!("{modifier}{}", poly_trait(v))
            }
            "outlives" => word(v).to_owned(),
            _ => bound.to_string(),
        }
    })
}

fn poly_trait(t: &Value) -> String {
    format!("{}{}", binder(&t["generic_params"]), path(&t["trait"]))
}

/// `for<'a> `
fn binder(params: &Value) -> String {
    let params = list(params);
    if params.is_empty() { String::new() } else { format!("for<{}> ", join(&params, param)) }
}

/// A path with its arguments: `Vec<f64>`.
pub(crate) fn path(p: &Value) -> String {
    let name = word(&p["path"]).rsplit("::").next().unwrap_or_default();
    format!("{name}{}", arguments(&p["args"]))
}

fn arguments(args: &Value) -> String {
    let (kind, v) = first(args);
    match kind {
        "angle_bracketed" => {
            let mut all: Vec<String> = list(&v["args"]).into_iter().map(argument).collect();
            all.extend(list(&v["constraints"]).into_iter().map(constraint));
            if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
        }
        "parenthesized" => {
            let output =
                if v["output"].is_null() { String::new() } else { format!(" -> {}", ty(&v["output"])) };
            format!("({}){output}", join(&list(&v["inputs"]), ty))
        }
        _ => String::new(),
    }
}

fn argument(a: &Value) -> String {
    let (kind, v) = first(a);
    match kind {
        "type" => ty(v),
        "lifetime" => word(v).to_owned(),
        "const" => word(&v["expr"]).to_owned(),
        _ => "_".to_owned(),
    }
}

/// `Item = T` or `Item: Bound`
fn constraint(c: &Value) -> String {
    let (kind, v) = first(&c["binding"]);
    let name = format!("{}{}", word(&c["name"]), arguments(&c["args"]));
    if kind == "equality" { format!("{name} = {}", term(v)) } else { format!("{name}: {}", bounds(v)) }
}

fn term(t: &Value) -> String {
    let (kind, v) = first(t);
    if kind == "type" { ty(v) } else { word(&v["expr"]).to_owned() }
}

/// A type behind `&`, in parentheses if a plus would be misread.
fn grouped(t: &Value) -> String {
    let text = ty(t);
    let is_sum = (text.starts_with("dyn ") || text.starts_with("impl ")) && text.contains(" + ");
    if is_sum { format!("({text})") } else { text }
}

fn first(v: &Value) -> (&str, &Value) {
    v.as_object().and_then(|o| o.iter().next()).map_or(("", &Value::Null), |(kind, v)| (kind.as_str(), v))
}

pub(crate) fn list(v: &Value) -> Vec<&Value> {
    v.as_array().into_iter().flatten().collect()
}

fn word(v: &Value) -> &str {
    v.as_str().unwrap_or_default()
}

fn is(v: &Value) -> bool {
    v.as_bool().unwrap_or_default()
}

fn join(all: &[&Value], text: impl Fn(&Value) -> String) -> String {
    join_with(all, ", ", text)
}

fn join_with(all: &[&Value], between: &str, text: impl Fn(&Value) -> String) -> String {
    all.iter().map(|v| text(v)).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_read_as_they_are_written() {
        let f64s = json!({"resolved_path": {"path": "std::vec::Vec", "args":
            {"angle_bracketed": {"args": [{"type": {"primitive": "f64"}}], "constraints": []}}}});
        assert_eq!(ty(&f64s), "Vec<f64>");
        let borrowed =
            json!({"borrowed_ref": {"lifetime": "'a", "is_mutable": true, "type": {"slice": f64s}}});
        assert_eq!(ty(&borrowed), "&'a mut [Vec<f64>]");
        assert_eq!(ty(&json!({"tuple": [{"primitive": "u8"}]})), "(u8,)");
        assert_eq!(ty(&json!("infer")), "_");
    }

    #[test]
    fn functions_show_what_a_caller_must_know() {
        let function = function(
            "scores",
            &json!({
                "header": {"is_const": true},
                "generics": {"params": [{"name": "T", "kind": {"type": {"bounds":
                    [{"trait_bound": {"trait": {"path": "Clone", "args": null}, "generic_params": [], "modifier": "none"}}],
                    "default": null, "is_synthetic": false}}}], "where_predicates": []},
                "sig": {"inputs": [["self", {"borrowed_ref": {"lifetime": null, "is_mutable": false,
                    "type": {"generic": "Self"}}}], ["of", {"generic": "T"}]], "output": {"primitive": "f64"}}
            }),
        );
        assert_eq!(function, "const fn scores<T: Clone>(&self, T) -> f64");
    }
}
