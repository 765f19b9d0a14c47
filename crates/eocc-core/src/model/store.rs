//! A model to and from the contents of a file. Everything read is checked: anyone can make a file with a valid
//! checksum.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::judge::{Judges, Stored};
use super::reference::Reference;
use super::{MIN_SAMPLES, Model, Origin, Summary, TrainingRecord};
use crate::calibration::Calibration;
use crate::dissimilarity::Dissimilarity;
use crate::error::{Error, ErrorKind, ModelFault, Result};
use crate::file::{Contents, damaged};
use crate::kinds::{Kinds, SampleKind};
use crate::numbers::{from_tensors, to_tensors};
use crate::parallel;
use crate::params::OneClass;
use crate::plan::Plan;
use crate::sample::SampleSet;

/// Everything that is not a tensor.
#[derive(Serialize, Deserialize)]
struct Meta {
    kind: String,
    judge: String,
    learned: Value,
    params: OneClass,
    dissimilarity: String,
    state: Value,
    samples: Value,
    summary: Summary,
    plan: Plan,
    record: TrainingRecord,
    written_by: String,
}

/// Key under which the description of a stream without a model stores its progress.
pub(crate) const WARMING_UP: &str = "warming_up";

impl Meta {
    fn read(contents: &Contents) -> Result<Self> {
        if let Some(progress) = contents.meta.get(WARMING_UP).and_then(Value::as_str) {
            let text =
                format!("it is a stream that is still warming up, with {progress}; let it observe more");
            return Err(ModelFault::Unsupported(text).into());
        }
        serde_json::from_value(contents.meta.clone())
            .map_err(|e| damaged(format!("the description of the model is not readable: {e}")))
    }
}

impl<X: SampleSet> Model<X> {
    /// Everything but the samples that new ones are compared with, which the caller stores. A custom dissimilarity is
    /// stored by name only.
    pub fn to_parts(&self) -> Result<Contents> {
        self.contents("", Value::Null, Contents::default())
    }

    fn contents(&self, kind: &str, samples: Value, mut out: Contents) -> Result<Contents> {
        let state = self.dissimilarity().state().unwrap_or_default();
        let scores = self.calibration().scores();
        out.put_f64("calibration", &[scores.len()], scores);
        let meta = Meta {
            kind: kind.into(),
            judge: self.judge.name().into(),
            learned: self.judge.write(&mut out)?,
            params: self.origin.params.clone(),
            dissimilarity: self.dissimilarity().name().into(),
            state: to_tensors(state, "state", &mut out),
            samples,
            summary: self.origin.summary,
            plan: self.origin.plan,
            record: self.origin.record.clone(),
            written_by: concat!("eocc ", env!("CARGO_PKG_VERSION")).into(),
        };
        out.meta = serde_json::to_value(meta).map_err(|e| ModelFault::Unsupported(e.to_string()))?;
        Ok(out)
    }

    /// From [parts](Self::to_parts), the samples that new ones are compared with, and the dissimilarity.
    pub fn from_parts(
        contents: &Contents,
        samples: X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    ) -> Result<Self> {
        Self::from_meta(Meta::read(contents)?, contents, samples, dissimilarity, &Judges::default())
    }

    fn from_meta(
        meta: Meta,
        contents: &Contents,
        samples: X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        judges: &Judges<X>,
    ) -> Result<Self> {
        let params = meta.params.check().map_err(|e| damaged(e.to_string()))?;
        let n = meta.summary.samples;
        if n < MIN_SAMPLES || samples.count() == 0 {
            return Err(damaged("there are too few samples".into()));
        }
        if !meta.record.is_possible(n) {
            return Err(damaged("the record of the training is out of range".into()));
        }
        let scores = contents.f64s("calibration")?.0;
        if scores.is_empty() || !scores.is_sorted() || scores.iter().any(|s| !s.is_finite()) {
            return Err(damaged("the calibration is out of order".into()));
        }
        let origin =
            Origin { params: (*params).clone(), plan: meta.plan, summary: meta.summary, record: meta.record };
        let reference = Reference::new(samples, dissimilarity);
        require_fit(&reference)?;
        let calibration = Calibration::new(scores);
        let stored = Stored { contents, learned: &meta.learned, origin: &origin, reference, calibration };
        Ok(Self { judge: judges.read(&meta.judge, stored)?, origin })
    }
}

/// Fails if the model about to be saved could not be read back. A custom measure, kind or judge cannot be read here,
/// which is not an error; `with_measure` then reads again with the measure at hand.
pub(crate) fn require_readable<T>(read: Result<T>, with_measure: impl FnOnce() -> Result<()>) -> Result<()> {
    let Err(fault) =
        read.map(drop).or_else(|fault| if is_damage(&fault) { Err(fault) } else { with_measure() })
    else {
        return Ok(());
    };
    match fault.kind() {
        ErrorKind::ModelFile(ModelFault::Damaged(why)) => Err(Error::input(format!(
            "the model could not be loaded again: {why}; bring the data to a scale where they differ by about 1, and fit again"
        ))),
        _ => Ok(()),
    }
}

fn is_damage(fault: &Error) -> bool {
    matches!(fault.kind(), ErrorKind::ModelFile(ModelFault::Damaged(_)))
}

/// Fails unless the measure is defined for all samples.
fn require_fit<X: SampleSet>(reference: &Reference<X>) -> Result<()> {
    let samples = reference.samples();
    let fits = |i: usize| reference.measure().check(samples.sample(i)).is_ok();
    let fits = parallel::map(samples.count(), 1024, &fits).into_iter().all(|fits| fits);
    if fits { Ok(()) } else { Err(damaged("the dissimilarity does not fit the samples".into())) }
}

impl<X: SampleKind> Model<X> {
    /// Everything needed to score, as file contents. A custom dissimilarity is stored by name only: such a model is
    /// read [with the function at hand](Self::from_contents_with).
    pub fn to_contents(&self) -> Result<Contents> {
        let mut out = Contents::default();
        let samples = self.reference().write("samples", &mut out);
        self.contents(X::NAME, samples, out)
    }

    /// Saves the model atomically: if the process is killed, the old file remains. Refuses to write what could not be
    /// loaded again.
    pub fn save(&self, path: &Path) -> Result<()> {
        let contents = self.to_contents()?;
        require_readable(Self::from_contents(&contents), || self.read_again(&contents))?;
        contents.save(path)
    }

    /// Checks contents of this model as loading does, except for the measure, which is at hand.
    pub(crate) fn read_again(&self, contents: &Contents) -> Result<()> {
        Self::from_contents_with(contents, self.dissimilarity().boxed()).map(drop)
    }

    /// Loads a model of samples of this type.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_contents(&Contents::load(path)?)
    }

    /// From file contents.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        Self::from_contents_of(contents, &Kinds::default(), &Judges::default())
    }

    /// From file contents, with any of these judges; parts of records are of these kinds.
    pub fn from_contents_of(contents: &Contents, kinds: &Kinds, judges: &Judges<X>) -> Result<Self> {
        Self::read(contents, kinds, judges, None)
    }

    /// From file contents, with the custom dissimilarity that the model was fitted with.
    pub fn from_contents_with(contents: &Contents, custom: Box<dyn Dissimilarity<X::Item>>) -> Result<Self> {
        Self::read(contents, &Kinds::default(), &Judges::default(), Some(custom))
    }

    fn read(
        contents: &Contents,
        kinds: &Kinds,
        judges: &Judges<X>,
        custom: Option<Box<dyn Dissimilarity<X::Item>>>,
    ) -> Result<Self> {
        let meta = Meta::read(contents)?;
        if meta.kind != X::NAME {
            let text = format!("the model is of {}, not of {}", meta.kind, X::NAME);
            return Err(ModelFault::Unsupported(text).into());
        }
        let dissimilarity = || match custom {
            Some(custom) => Ok(custom),
            None => from_tensors(meta.state.clone(), contents, |state| {
                X::restore_measure(&meta.dissimilarity, state, kinds)
            }),
        };
        // Both are large.
        let (dissimilarity, samples) =
            crate::parallel::join(dissimilarity, || X::read("samples", contents, &meta.samples, kinds));
        let (dissimilarity, samples) = (dissimilarity?, samples?);
        super::require_complete(&samples).map_err(|e| damaged(e.to_string()))?;
        Self::from_meta(meta, contents, samples, dissimilarity, judges)
    }
}
