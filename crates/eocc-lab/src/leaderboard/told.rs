//! Gives `default` the number of outliers among the training samples.

use eocc_baselines::{Method, Recipe};
use eocc_core::{OneClass, Preset, Result};

/// This classifier with this contamination; `None` if it is not based on `default`, the only one that accepts it.
pub(super) fn told_method(method: &Method, share: f64) -> Result<Option<Method>> {
    let Recipe::Preset { preset: Preset::Default, dissimilarity, change } = &method.recipe else {
        return Ok(None);
    };
    let mut params = OneClass::new(Preset::Default);
    change(&mut params);
    params.contamination = Some(share);
    let params = Box::new(params.check()?);
    let recipe = Recipe::Params { params, dissimilarity: *dissimilarity, scoring: None };
    let Method { name, title, origin, summary, .. } = *method;
    Ok(Some(Method { name, title, origin, summary, recipe }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_baselines::method;

    #[test]
    fn only_default_is_told_and_keeps_its_name() {
        let known = told_method(method("default").unwrap(), 0.05).unwrap().unwrap();
        assert!(known.name == "default" && known.preset() == Some(Preset::Default));
        for name in ["paper", "k-nn-mean", "gauss"] {
            assert!(told_method(method(name).unwrap(), 0.05).unwrap().is_none(), "{name}");
        }
    }
}
