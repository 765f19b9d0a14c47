//! How to add a kind of samples: one `impl` and one line of registration, here from outside of the library.
//! Everything else (models, files, records) then knows it.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeSet;

use eocc::dissimilarity::{Dissimilarity, Entry};
use eocc::model::Contents;
use eocc::{
    AnyModel, AnySamples, Kinds, Layout, OneClass, Part, Preset, Records, Result, SampleKind, SampleSet,
    Settings, Silent, Texts,
};
use serde_json::{Value, json};

/// Shopping baskets: sets of numbered things.
#[derive(Debug, Clone)]
struct Baskets(Vec<BTreeSet<u32>>);

impl SampleSet for Baskets {
    type Item = BTreeSet<u32>;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn sample(&self, i: usize) -> &BTreeSet<u32> {
        &self.0[i]
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self(indices.iter().map(|&i| self.0[i].clone()).collect())
    }
}

impl SampleKind for Baskets {
    const NAME: &'static str = "baskets";
    const KEY: &'static str = "baskets";

    fn catalogue() -> &'static [Entry<BTreeSet<u32>>] {
        const OVERLAP: Entry<BTreeSet<u32>> = Entry {
            name: "overlap",
            summary: "share of things that are in one of two baskets only",
            make: |_| Ok(Box::new(Overlap)),
            restore: |_| Ok(Box::new(Overlap)),
        };
        &[OVERLAP]
    }

    fn layout(&self) -> Layout {
        Layout::Opaque
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let lengths: Vec<u32> = self.0.iter().map(|b| u32::try_from(b.len()).unwrap()).collect();
        let things: Vec<u32> = self.0.iter().flatten().copied().collect();
        out.put_u32(&format!("{name}.lengths"), &[lengths.len()], &lengths);
        out.put_u32(name, &[things.len()], &things);
        json!({})
    }

    fn read(name: &str, contents: &Contents, _meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let mut things = contents.u32s(name)?.0.into_iter();
        let lengths = contents.u32s(&format!("{name}.lengths"))?.0;
        Ok(Self(lengths.into_iter().map(|l| things.by_ref().take(l as usize).collect()).collect()))
    }
}

#[derive(Clone)]
struct Overlap;

impl Dissimilarity<BTreeSet<u32>> for Overlap {
    fn name(&self) -> &'static str {
        "overlap"
    }

    fn between(&self, a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> f64 {
        let union = a.union(b).count();
        if union == 0 { 0.0 } else { a.symmetric_difference(b).count() as f64 / union as f64 }
    }

    fn state(&self) -> Option<Value> {
        Some(json!({}))
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<BTreeSet<u32>>> {
        Box::new(self.clone())
    }
}

/// Baskets of two habits; the last one has neither.
fn baskets() -> Baskets {
    let nominal = (0..60_u32).map(|i| {
        let start = if i % 2 == 0 { 0 } else { 100 };
        (0..8).filter(|t| (i * 7 + t * 3) % 5 != 0).map(|t| start + t).collect()
    });
    Baskets(nominal.chain([BTreeSet::from([900, 901, 902])]).collect())
}

fn known() -> Kinds {
    Kinds::default().with::<Baskets>()
}

#[test]
fn a_new_kind_is_fitted_saved_and_loaded() {
    let all = baskets();
    let train = all.select(&(0..60).collect::<Vec<_>>());
    for preset in [Preset::Default, Preset::Paper] {
        let model = OneClass::new(preset).fit(&train).unwrap();
        let odd = model.decide(all.sample(60)).unwrap();
        assert!(odd.score < model.decide(all.sample(0)).unwrap().score);
        let contents = AnyModel::new(model).to_contents().unwrap();
        let loaded = AnyModel::from_contents_of(&contents, &known()).unwrap();
        assert_eq!(loaded.kind().name(), "baskets");
        let again = loaded.decide_all(&AnySamples::new(all.select(&[60]))).unwrap();
        assert_eq!(again[0].score.to_bits(), odd.score.to_bits());
        let e = AnyModel::from_contents(&contents).err().unwrap();
        assert!(e.is_model_file() && e.to_string().contains("baskets"), "{e}");
    }
}

#[test]
fn a_new_kind_is_part_of_a_record() {
    let all = baskets();
    let names = Texts::new((0..61).map(|i| format!("customer {}", i % 7)).collect()).unwrap();
    let records = Records::new(vec![Part::new("basket", all), Part::new("name", names)]).unwrap();
    let train = records.select(&(0..60).collect::<Vec<_>>());
    let model = AnySamples::new(train)
        .train(
            &OneClass::default().check().unwrap(),
            AnySamples::new(records.clone()).measure(Preset::Default, None, &Settings::default()).unwrap(),
            &Silent,
        )
        .unwrap();
    let scores = model.decide_all(&AnySamples::new(records.clone())).unwrap();
    assert!(scores[..60].iter().all(|d| d.score > scores[60].score));
    let contents = model.to_contents().unwrap();
    let loaded = AnyModel::from_contents_of(&contents, &known()).unwrap();
    let again = loaded.decide_all(&AnySamples::new(records)).unwrap();
    assert_eq!(again, scores);
    assert!(AnyModel::from_contents(&contents).is_err(), "the part is of a kind that is not registered");
}
