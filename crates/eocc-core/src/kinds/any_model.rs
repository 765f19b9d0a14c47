//! A model of samples whose kind is known only at run time.

use std::any::Any;
use std::path::Path;

use super::{AnyDissimilarity, AnySamples, AnyStream, Kind, Kinds, Layout, SampleKind};
use crate::calibration::Calibration;
use crate::decision::Decision;
use crate::dissimilarity::{CUSTOM, Parameter};
use crate::error::{Error, Result};
use crate::file::{Contents, damaged};
use crate::knn::KnnLists;
use crate::matrix::Matrix;
use crate::model::{Explanation, Graph, Model, Origin, Summary, TrainingRecord, require_readable};
use crate::observer::{Observer, Silent};
use crate::params::{OneClass, Scoring};
use crate::plan::Plan;
use crate::region::{Centrality, Region};
use crate::sample::{SampleSet as _, Texts};
use crate::stream::{Stream, StreamParams};

/// A fitted model of samples of some [kind](SampleKind).
pub struct AnyModel {
    model: Box<dyn ErasedModel>,
    /// Names of the training samples, if any.
    names: Vec<String>,
    /// How the training samples were read, for reading new ones.
    reading: Option<serde_json::Value>,
}

/// Key under which the description of a model stores how its samples were read.
const READING: &str = "reading";

/// Tensors of a model file with the names of the training samples.
const NAMES: &str = "names";

/// The methods of a model without the type of its samples; see [`Model`] for each of these.
pub trait ErasedModel: Send + Sync {
    #[doc(hidden)]
    fn as_any(&self) -> &dyn Any;
    #[doc(hidden)]
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// The kind of its samples.
    fn kind(&self) -> Kind;
    /// Its origin.
    fn origin(&self) -> &Origin;
    /// The graph of the training samples with its regions.
    fn graph(&self) -> &Graph;
    /// `c`: what dissimilarities are divided by.
    fn bound(&self) -> f64;
    /// The scores that those of new samples are ranked among.
    fn calibration(&self) -> &Calibration;
    /// The score of every training sample as if it were new.
    fn training_scores(&self) -> Vec<f64>;
    /// Region and degree of membership of every training sample.
    fn training_memberships(&self) -> Vec<(usize, f64)>;
    /// Decides on the training samples, each as if it were new.
    fn training_decisions(&self) -> Vec<Decision>;
    /// Like `training_decisions`, but p-values are ranks among the training samples: the fraction at least as odd.
    fn ranked_decisions(&self) -> Vec<Decision>;
    /// The embedded training samples, one row each; `None` if the graph is on the dissimilarity itself.
    fn embedding(&self) -> Option<&Matrix>;
    /// Indices of the training samples that are excluded as neighbors because they lie far out, ascending.
    fn trimmed(&self) -> &[u32];
    /// What it judges by, in words that complete "a sample is judged by".
    fn judged_by(&self) -> String;
    /// What the centrality of the samples in its regions is.
    fn centrality(&self) -> Centrality;
    /// The views of its judge, by name and weight; empty if that has only one distance.
    fn views(&self) -> Vec<(String, f64)>;
    /// The smallest accepted score.
    fn boundary(&self) -> f64;
    /// Number of prototypes; all training samples if there is no embedding.
    fn prototypes(&self) -> usize;
    /// The samples that new ones are compared with.
    fn reference(&self) -> AnySamples;
    /// The required form of samples to be scored.
    fn layout(&self) -> Layout;
    /// Names of the features, if they have any.
    fn feature_names(&self) -> &[String];
    /// The names that the shares of an explanation refer to: the features by name or number, the parts of records, or the bag
    /// and summary of a string, series or graph; empty if there are none.
    fn share_names(&self) -> Vec<String>;
    /// The values of the sample in this row under these names if they are not its features; NaN if not a number.
    fn share_values(&self, samples: &AnySamples, row: usize) -> Option<Vec<f64>>;
    /// A copy of the fitted dissimilarity.
    fn measure(&self) -> AnyDissimilarity;
    /// Decides on all of `samples` with this scoring, reporting to the observer.
    fn decide_with(
        &self,
        samples: &AnySamples,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>>;
    /// Decides on all of `samples`; a sample that cannot be judged gets its own error.
    fn decide_each(
        &self,
        samples: &AnySamples,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Result<Decision>>>;
    /// Decides on several sets of samples in one pass, which reads the training samples once for all of them. Each set gets the
    /// decisions, or the error, that it would get by itself.
    fn decide_together(
        &self,
        sets: &[AnySamples],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Vec<Result<Vec<Decision>>>;
    /// The dissimilarity embedding of new samples, one row each.
    fn embed_all(&self, samples: &AnySamples, observer: &dyn Observer) -> Result<Matrix>;
    /// Explains each sample by its `count` nearest of those it is compared with.
    fn explain(
        &self,
        samples: &AnySamples,
        count: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<Explanation>>;
    #[doc(hidden)]
    fn typed_stream(&self, params: StreamParams) -> Result<AnyStream>;
    #[doc(hidden)]
    fn typed_contents(&self) -> Result<Contents>;

    /// Checks that contents of such a model can be read, with the measure at hand.
    #[doc(hidden)]
    fn read_again(&self, contents: &Contents) -> Result<()>;

    /// The parameters it was fitted with.
    fn params(&self) -> &OneClass {
        &self.origin().params
    }

    /// The result of its training.
    fn summary(&self) -> &Summary {
        &self.origin().summary
    }

    /// The plan of its fit, and how well neighbors were found.
    fn plan(&self) -> &Plan {
        &self.origin().plan
    }

    /// The steps of its training.
    fn record(&self) -> &TrainingRecord {
        &self.origin().record
    }

    /// Warnings for the user, for example that there are too few samples to reject anything.
    fn warnings(&self) -> Vec<String> {
        self.origin().warnings()
    }

    /// Its decision regions, largest first.
    fn regions(&self) -> &[Region] {
        self.graph().regions()
    }

    /// The neighbors of the training samples.
    fn lists(&self) -> &KnnLists {
        self.graph().lists()
    }

    /// The parameters of the dissimilarity.
    fn parameters(&self) -> Vec<Parameter> {
        self.measure().parameters()
    }

    /// Decides on all of `samples`, in order.
    fn decide_all(&self, samples: &AnySamples) -> Result<Vec<Decision>> {
        self.decide_with(samples, self.params().scoring, &Silent)
    }
}

impl<X: SampleKind> ErasedModel for Model<X> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn kind(&self) -> Kind {
        Kind::new::<X>()
    }

    fn origin(&self) -> &Origin {
        Model::origin(self)
    }

    fn graph(&self) -> &Graph {
        Model::graph(self)
    }

    fn bound(&self) -> f64 {
        Model::bound(self)
    }

    fn calibration(&self) -> &Calibration {
        Model::calibration(self)
    }

    fn training_scores(&self) -> Vec<f64> {
        Model::training_scores(self)
    }

    fn training_memberships(&self) -> Vec<(usize, f64)> {
        Model::training_memberships(self)
    }

    fn training_decisions(&self) -> Vec<Decision> {
        Model::training_decisions(self)
    }

    fn ranked_decisions(&self) -> Vec<Decision> {
        Model::ranked_decisions(self)
    }

    fn embedding(&self) -> Option<&Matrix> {
        Model::embedding(self)
    }

    fn trimmed(&self) -> &[u32] {
        Model::trimmed(self)
    }

    fn judged_by(&self) -> String {
        Model::judged_by(self)
    }

    fn centrality(&self) -> Centrality {
        Model::centrality(self)
    }

    fn views(&self) -> Vec<(String, f64)> {
        Model::views(self)
    }

    fn boundary(&self) -> f64 {
        Model::boundary(self)
    }

    fn prototypes(&self) -> usize {
        Model::prototypes(self)
    }

    fn reference(&self) -> AnySamples {
        AnySamples::new(Model::reference(self).clone())
    }

    fn layout(&self) -> Layout {
        Model::reference(self).layout()
    }

    fn feature_names(&self) -> &[String] {
        Model::reference(self).feature_names()
    }

    fn share_names(&self) -> Vec<String> {
        Model::share_names(self)
    }

    fn share_values(&self, samples: &AnySamples, row: usize) -> Option<Vec<f64>> {
        Model::share_values(self, samples.downcast_ref::<X>()?.sample(row))
    }

    fn measure(&self) -> AnyDissimilarity {
        AnyDissimilarity::new::<X>(self.dissimilarity().boxed())
    }

    fn decide_with(
        &self,
        samples: &AnySamples,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        Model::decide_with(self, like::<X>(samples)?, scoring, observer)
    }

    fn decide_each(
        &self,
        samples: &AnySamples,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Result<Decision>>> {
        Model::decide_each(self, like::<X>(samples)?, scoring, observer)
    }

    fn decide_together(
        &self,
        sets: &[AnySamples],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Vec<Result<Vec<Decision>>> {
        let typed: Result<Vec<&X>> = sets.iter().map(like::<X>).collect();
        match typed.and_then(|typed| Model::decide_together(self, &typed, scoring, observer)) {
            Ok(decisions) => decisions.into_iter().map(Ok).collect(),
            // One set cannot be judged, which is no reason to refuse the others.
            Err(_) => sets.iter().map(|set| ErasedModel::decide_with(self, set, scoring, observer)).collect(),
        }
    }

    fn embed_all(&self, samples: &AnySamples, observer: &dyn Observer) -> Result<Matrix> {
        Model::embed_all(self, like::<X>(samples)?, observer)
    }

    fn explain(
        &self,
        samples: &AnySamples,
        count: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<Explanation>> {
        Model::explain(self, like::<X>(samples)?, count, observer)
    }

    fn typed_stream(&self, params: StreamParams) -> Result<AnyStream> {
        Ok(AnyStream::new(Stream::from_model(params, self)?))
    }

    fn typed_contents(&self) -> Result<Contents> {
        Model::to_contents(self)
    }

    fn read_again(&self, contents: &Contents) -> Result<()> {
        Model::read_again(self, contents)
    }
}

/// Samples of the kind of a model.
fn like<X: SampleKind>(samples: &AnySamples) -> Result<&X> {
    samples.downcast_ref().ok_or_else(|| {
        Error::input(format!("the model is of {}, but the samples are {}", X::NAME, samples.kind().name()))
    })
}

impl<X: SampleKind> From<Model<X>> for AnyModel {
    fn from(model: Model<X>) -> Self {
        Self::new(model)
    }
}

impl AnyModel {
    /// Takes a model whose type is known here.
    pub fn new<X: SampleKind>(model: Model<X>) -> Self {
        Self { model: Box::new(model), names: Vec::new(), reading: None }
    }

    /// The model as its concrete type, if it is for these samples.
    pub fn downcast_ref<X: SampleKind>(&self) -> Option<&Model<X>> {
        self.model.as_any().downcast_ref()
    }

    /// Like [`downcast_ref`](Self::downcast_ref), mutably; for example for a [judge](Model::judge_mut) that keeps learning.
    pub fn downcast_mut<X: SampleKind>(&mut self) -> Option<&mut Model<X>> {
        self.model.as_any_mut().downcast_mut()
    }

    /// Loads a model file of any kind.
    pub fn load(path: &Path) -> Result<Self> {
        Contents::load_as(path, Self::from_contents)
    }

    /// From file contents.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        Self::from_contents_of(contents, &Kinds::default())
    }

    /// From file contents, for any of these kinds, with a judge of the library or one registered with them.
    pub fn from_contents_of(contents: &Contents, kinds: &Kinds) -> Result<Self> {
        kinds.read_model(contents)?.with_stored_names(contents, kinds)
    }

    /// From file contents, with the custom dissimilarity that the model was fitted with.
    pub fn from_contents_with<X: SampleKind>(
        contents: &Contents,
        custom: Box<dyn crate::Dissimilarity<X::Item>>,
    ) -> Result<Self> {
        let stored = &contents.meta["dissimilarity"];
        if stored != CUSTOM {
            return Err(Error::parameter(
                "metric",
                "given",
                format!("left out: the model has its own, {stored}"),
            ));
        }
        Self::new(Model::<X>::from_contents_with(contents, custom)?)
            .with_stored_names(contents, &Kinds::default())
    }

    /// Everything needed to score, as file contents.
    pub fn to_contents(&self) -> Result<Contents> {
        let mut contents = self.model.typed_contents()?;
        if !self.names.is_empty() {
            Texts::new(self.names.clone())?.write(NAMES, &mut contents);
        }
        if let Some(reading) = &self.reading {
            contents.meta[READING] = reading.clone();
        }
        Ok(contents)
    }

    /// Names the training samples, for explanations and files. Fails unless there is one name for each.
    pub fn set_names(&mut self, names: Vec<String>) -> Result<()> {
        let samples = self.summary().samples;
        if names.len() != samples {
            let text = format!("there are {} names for {samples} training samples", names.len());
            return Err(Error::input(text));
        }
        self.names = names;
        Ok(())
    }

    fn with_stored_names(mut self, contents: &Contents, kinds: &Kinds) -> Result<Self> {
        self.reading = contents.meta.get(READING).cloned();
        if !contents.has(NAMES) {
            return Ok(self);
        }
        let names = Texts::read(NAMES, contents, &serde_json::Value::Null, kinds)?;
        let names = (0..names.count()).map(|i| names.sample(i).to_owned()).collect();
        self.set_names(names).map_err(|e| damaged(e.to_string()))?;
        Ok(self)
    }

    /// Stores how the training samples were read, for reading new ones; it is not interpreted here.
    pub fn set_reading(&mut self, reading: Option<serde_json::Value>) {
        self.reading = reading;
    }

    /// How the training samples were read, if stored.
    pub fn reading(&self) -> Option<&serde_json::Value> {
        self.reading.as_ref()
    }

    /// Names of the training samples, if any.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Saves the model atomically: if the process is killed, the old file remains.
    ///
    /// Refuses to write what could not be loaded again.
    pub fn save(&self, path: &Path) -> Result<()> {
        let contents = self.to_contents()?;
        require_readable(Self::from_contents(&contents), || self.model.read_again(&contents))?;
        contents.save(path)
    }
}

impl std::ops::Deref for AnyModel {
    type Target = dyn ErasedModel;

    fn deref(&self) -> &Self::Target {
        self.model.as_ref()
    }
}
