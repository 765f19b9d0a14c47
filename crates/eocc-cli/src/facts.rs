//! Facts for the user about samples and the measure that compares them: letters, attributes of graphs, and a
//! matrix that may be one of dissimilarities.

use eocc_core::dissimilarity::are_nucleic;
use eocc_core::graphs::{Attribute, AttributeKind};
use eocc_core::{AnyModel, AnySamples, Graphs, SampleSet as _, Texts, Vectors};
use eocc_data::{Writing, different_writing, nucleic_among_proteins};

use crate::output::{self, counted};
use crate::say;

/// The measure that compares sequences by a matrix.
const ALIGNMENT: &str = "alignment";
/// Amino acids outside of BLOSUM62.
const RARE: [char; 3] = ['U', 'O', 'J'];
/// Fewer rows and columns are no matrix of dissimilarities.
const MIN_SQUARE: usize = 4;
/// Attributes that are listed.
const MAX_ATTRIBUTES: usize = 12;

/// The name of a model's dissimilarity, and the matrix that an alignment chose or was given.
pub(crate) fn measure_of(model: &AnyModel) -> String {
    let measure = model.measure();
    match matrix_of(model) {
        Some(matrix) => format!("{} (matrix {matrix})", measure.name()),
        None => measure.name().to_owned(),
    }
}

/// The substitution matrix of an alignment.
fn matrix_of(model: &AnyModel) -> Option<String> {
    let measure = model.measure();
    if measure.name() != ALIGNMENT {
        return None;
    }
    let (_, matrix) = measure.settings().into_iter().find(|(name, _)| name == "matrix")?;
    Some(if matrix.contains('\n') { "from a file".to_owned() } else { matrix })
}

/// Reports what is unusual about the samples that a model was fitted on. `settings` are those of the command line.
pub(crate) fn notes(samples: &AnySamples, model: &AnyModel, settings: &[String]) {
    if let count @ 1.. = nucleic_among_proteins(samples) {
        let have = if count == 1 { "has" } else { "have" };
        say::note(&format!(
            "{} {have} only the letters of DNA or RNA, but the others are proteins",
            counted(count, "sample")
        ));
    }
    for (writing, count) in different_writing(samples) {
        let (what, have) = written(writing, count == 1);
        say::note(&format!("{} {have} {what}", of_all(count, samples.count())));
    }
    if is_square(samples) {
        say::note(
            "the table is a square, symmetric matrix with a zero diagonal; if it holds dissimilarities, add --precomputed",
        );
    }
    let Some((texts, matrix)) = samples.downcast_ref::<Texts>().zip(matrix_of(model)) else { return };
    let all = || (0..texts.count()).map(|i| texts.sample(i));
    let is_given = settings.iter().any(|setting| setting.trim_start().starts_with("matrix="));
    if matrix == "blosum62" {
        if is_given && are_nucleic(all()) {
            say::warning(
                "the samples have only the letters of DNA or RNA, but blosum62 compares proteins (--set matrix=dna)",
            );
        }
        let rare = all().filter(|text| text.contains(RARE)).count();
        if rare > 0 {
            let have = if rare == 1 { "has" } else { "have" };
            say::note(&format!(
                "{} {have} amino acids outside of blosum62: U is compared as C, O as K, J as L",
                counted(rare, "sample")
            ));
        }
    }
}

/// How some sequences are written, compared with others, and the verb.
pub(crate) fn written(writing: Writing, is_one: bool) -> (&'static str, &'static str) {
    let (are, have) = if is_one { ("is", "has") } else { ("are", "have") };
    match writing {
        Writing::LowerCase => {
            ("lower-case letters where the others have upper case, which are different letters", have)
        }
        Writing::UpperCase => {
            ("upper-case letters where the others have lower case, which are different letters", have)
        }
        Writing::Gaps => ("gaps (`-`, `.` or `*` inside), which are compared as letters", have),
        Writing::Rna => ("RNA, and the others DNA: U and T are different letters", are),
        _ => ("DNA, and the others RNA: U and T are different letters", are),
    }
}

fn of_all(count: usize, all: usize) -> String {
    format!("{count} of {}", counted(all, "sample"))
}

/// Whether rows of numbers look like dissimilarities among themselves.
fn is_square(samples: &AnySamples) -> bool {
    let Some(rows) = samples.downcast_ref::<Vectors>() else { return false };
    let n = rows.count();
    n >= MIN_SQUARE
        && rows.sample(0).len() == n
        && (0..n).all(|i| {
            let own = rows.sample(i);
            own[i] == 0.0
                && (0..i).all(|j| own[j] >= 0.0 && (own[j] - rows.sample(j)[i]).abs() <= 1e-9 * own[j])
        })
        && (0..n).any(|i| rows.sample(i).iter().any(|v| *v > 0.0))
}

/// The attributes of the vertices and edges of graphs, by name and kind.
pub(crate) fn attributes(samples: &AnySamples) -> Vec<(&'static str, String)> {
    let Some(graphs) = samples.downcast_ref::<Graphs>() else { return Vec::new() };
    let listed = |attributes: &[Attribute]| {
        let one = |a: &Attribute| {
            let kind = match a.kind {
                AttributeKind::Number => "number".to_owned(),
                AttributeKind::Text => "word".to_owned(),
                AttributeKind::Vector(width) => format!("{width} numbers"),
            };
            format!("{} ({kind})", a.name)
        };
        match attributes {
            [] => "no attributes".to_owned(),
            some => output::shortened(&some.iter().map(one).collect::<Vec<_>>(), MAX_ATTRIBUTES),
        }
    };
    let schema = graphs.schema();
    vec![("vertices", listed(&schema.vertex)), ("edges", listed(&schema.edge))]
}
