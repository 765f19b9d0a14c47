//! The texts of a report.

use eocc_core::{AnyModel, NeighborSearch, Threshold};

/// As much of a text as fits, without the middle.
pub fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let (head, tail) = (most.div_ceil(2), most / 2 - 1);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{start}…{end}")
}

/// A number for display.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "none".to_owned() } else { format!("{value}") };
    }
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = if size >= 100.0 {
        1
    } else if size >= 1.0 {
        3
    } else {
        4
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// How the model was trained, and what to expect of a new sample.
pub(super) fn sentences(model: &AnyModel) -> Vec<String> {
    let (s, p) = (model.summary(), model.params());
    let of = match s.features {
        0 => format!("{} {}", s.samples, model.kind().name()),
        features => format!("{} with {}", counted(s.samples, "nominal sample"), counted(features, "feature")),
    };
    let first = format!(
        "Trained on {of}, compared by the dissimilarity “{}” (preset {}); their graph, in which each is joined to its {} nearest, \
         has {}. A new sample is judged by {}.",
        model.measure().name(),
        p.preset.name(),
        s.neighbors,
        counted(model.regions().len(), "region"),
        model.judged_by(),
    );
    let share = |share: f64| {
        let boundary = model.boundary();
        let score = if boundary.is_finite() {
            format!("that is, if its score is at least {}", number(boundary))
        } else {
            "which is always the case with this few training samples".to_owned()
        };
        format!(
            "Expect a new sample to be accepted if its p-value exceeds {}, {score}: of 100 nominal samples about {} will be \
             rejected.",
            number(share),
            number(100.0 * share)
        )
    };
    let second = match p.threshold {
        Threshold::Percentile => format!(
            "Expect a new sample to be accepted if it is about as close to the others of a region as the most central {} of 100 of \
             its training samples; of 100 nominal samples about {} will be rejected.",
            number(p.percentile),
            number(100.0 - p.percentile)
        ),
        Threshold::Reject(rejected) => share(rejected),
        Threshold::Contamination => {
            share(model.calibration().share_of_lowest(p.contamination.unwrap_or(0.0)))
        }
    };
    vec![first, second]
}

/// Facts of a model by name and value.
pub(super) fn facts(model: &AnyModel) -> Vec<(String, String)> {
    let (s, p) = (model.summary(), model.params());
    let neighbors = match model.plan().neighbors {
        NeighborSearch::Visits(visits) => {
            format!(
                "approximate, of {visits} samples looked at; {:.1} % of the true ones found",
                100.0 * model.plan().recall
            )
        }
        _ => "exact".to_owned(),
    };
    let search = if s.evaluations > 1 {
        format!("{}, {}, stopped: {}", p.search.name(), counted(s.evaluations, "evaluation"), s.stop.name())
    } else {
        "none".to_owned()
    };
    let views: Vec<String> = model.views().into_iter().map(|v| v.0).collect();
    let mut facts = vec![
        ("training samples", s.samples.to_string()),
        ("features", s.features.to_string()),
        ("preset", p.preset.name().to_owned()),
        ("dissimilarity", model.measure().name().to_owned()),
        ("neighbors in the graph, k", s.neighbors.to_string()),
        ("how neighbors were found", neighbors),
        ("regions", model.regions().len().to_string()),
        ("objective η", number(s.eta)),
        ("Jensen difference", number(s.jensen)),
        ("order of the entropy α", number(p.alpha)),
        ("search", search),
        ("views", views.join(", ")),
        ("trimmed (far out)", model.trimmed().len().to_string()),
        ("smallest accepted score", number(model.boundary())),
        ("seed", p.seed.to_string()),
    ];
    facts.retain(|(name, value)| !(value.is_empty() || (*name == "features" && value == "0")));
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use eocc_core::dissimilarity::Minkowski;
    use eocc_core::file::Contents;
    use eocc_core::model::{
        Graph, Judge, JudgeKind, Judged, Judgment, Reasons, Reference, Stored, Task, train,
    };
    use eocc_core::{Calibration, Model, OneClass, Result, SampleSet as _, Scoring, Silent, Vectors};
    use serde_json::Value;

    use super::*;

    /// Judges by the distance to zero: a judge without views and without regions.
    struct ToZero(Reference<Vectors>, Calibration, Graph);

    impl ToZero {
        fn judgment(sample: &[f64]) -> Judgment {
            let score = -sample.iter().map(|value| value.abs()).sum::<f64>();
            Judgment { score, membership: score.exp(), ..Judgment::default() }
        }
    }

    impl Judge<Vectors> for ToZero {
        fn name(&self) -> &'static str {
            Self::NAME
        }

        fn reference(&self) -> &Reference<Vectors> {
            &self.0
        }

        fn calibration(&self) -> &Calibration {
            &self.1
        }

        fn judge(&self, samples: &[&[f64]], _scoring: Scoring) -> Result<Judged> {
            Ok(Judged { judgments: samples.iter().map(|one| Self::judgment(one)).collect(), measured: 0 })
        }

        fn training(&self) -> Vec<Judgment> {
            self.0.samples().refs().into_iter().map(Self::judgment).collect()
        }

        fn recalibrate(&mut self, scores: Vec<f64>) {
            self.1 = Calibration::new(scores);
        }

        fn reasons(&self, _sample: &[f64], _count: usize) -> Result<Reasons> {
            Ok(Reasons::default())
        }

        fn central_boundary(&self) -> f64 {
            -1.0
        }

        fn graph(&self) -> &Graph {
            &self.2
        }

        fn write(&self, _out: &mut Contents) -> Result<Value> {
            Ok(Value::Null)
        }
    }

    impl JudgeKind<Vectors> for ToZero {
        const NAME: &'static str = "to-zero";

        fn train(task: Task<'_, Vectors>) -> Result<Model<Vectors>> {
            let reference = Reference::new(task.samples.clone(), task.measure);
            let mut judge = Self(reference, Calibration::default(), Graph::default());
            judge.recalibrate(judge.training().iter().map(|judgment| judgment.score).collect());
            Ok(Model::new(judge, task.origin))
        }

        fn read(stored: Stored<'_, Vectors>) -> Result<Self> {
            Ok(Self(stored.reference, stored.calibration, Graph::default()))
        }
    }

    #[test]
    fn a_judge_without_views_is_not_taken_for_closeness() {
        let rows: Vec<Vec<f64>> = (0..30).map(|i| vec![f64::from(i % 7), f64::from(i % 5)]).collect();
        let samples = Vectors::from_rows(&rows).unwrap();
        let params = OneClass::default();
        let model = train::<ToZero, _>(&params, &samples, Box::new(Minkowski::euclidean()), &Silent).unwrap();
        let model = AnyModel::new(model);
        let said = sentences(&model);
        assert!(said[0].ends_with("A new sample is judged by `to-zero`."), "{}", said[0]);
        let data = crate::ReportData::new(&model, "toy", None, &Silent).unwrap();
        assert!(!data.is_closeness);
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(cut("short", 10), "short");
        let long = cut(&"äb".repeat(5000), 20);
        assert_eq!(long.chars().count(), 20);
        assert!(long.starts_with("äbäb") && long.contains('…'));
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 0.05, 1.5, 1234.56, 1e-9, f64::NAN, -2.25].map(number);
        assert_eq!(texts, ["0", "0.05", "1.5", "1234.6", "1.000e-9", "none", "-2.25"]);
    }
}
