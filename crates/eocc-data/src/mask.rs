//! Texts by their templates.

use eocc_core::sample::template;
use eocc_core::{AnySamples, Part, Records, Result, SampleSet as _, Texts};

/// The samples with numbers, addresses and hexadecimal words in their texts replaced by `#`; see [`template`].
/// Samples without texts are unchanged.
pub fn masked(samples: &AnySamples) -> Result<AnySamples> {
    if let Some(texts) = samples.downcast_ref::<Texts>() {
        let templates = (0..texts.count()).map(|i| template(texts.sample(i))).collect();
        return Ok(Texts::new(templates)?.into());
    }
    let Some(records) = samples.downcast_ref::<Records>() else { return Ok(samples.clone()) };
    let part = |part: &Part| Ok(Part::new(part.name.clone(), masked(&part.samples)?));
    Ok(Records::new(records.parts().iter().map(part).collect::<Result<_>>()?)?.into())
}
