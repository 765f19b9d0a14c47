//! Global alignment with a substitution matrix such as BLOSUM62.
//!
//! With scores `s(x, y)` and a penalty `g` for each symbol in a gap, the Needleman–Wunsch score of two strings is
//! `S`; the dissimilarity is `(S(a, a) + S(b, b)) / 2 - S(a, b)`. That is a minimum edit cost: replacing costs `(s(x,
//! x) + s(y, y)) / 2 - s(x, y)`, and a gap `g + s(x, x) / 2`. Normalized, it is divided by the cost of deleting one
//! string and inserting the other.
//!
//! Letters outside the matrix that are shorthand or rare are compared as another: among nucleotides, the codes of
//! several bases as N; among amino acids, selenocysteine U as C, pyrrolysine O as K, and J, which is I or L, as L.

#![expect(clippy::inline_always, reason = "only what is inlined is compiled for the widest instructions")]

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::setting;
use super::super::sight::TextSight;
use super::super::{Dissimilarity, Entry, Parameter, Prepared, Settings, Sight};
use super::alphabet::Alphabet;
use super::grouped::{Grouped, Kernel};
use super::symbols::Unit;
use super::weighted::{EditCosts, Group, LANES};
use crate::error::{Error, Result};

/// BLOSUM62 in its usual file format (Henikoff and Henikoff 1992).
const BLOSUM62: &str = include_str!("blosum62.txt");
/// Scores of nucleotides, as in EDNAFULL: 5 for equal ones, -4 for different ones; T and U are the same, and N may be
/// any.
const DNA: &str = "A C G T U N\nA 5 -4 -4 -4 -4 -2\nC -4 5 -4 -4 -4 -2\nG -4 -4 5 -4 -4 -2\nT -4 -4 -4 5 5 -2\nU -4 -4 -4 5 5 -2\n\
                   N -2 -2 -2 -2 -2 -1\n";
/// Nucleotides, and the codes of several, which are compared as N.
const NUCLEOTIDES: &str = "ACGTUN";
const AMBIGUOUS: &str = "RYSWKMBDHV";
/// Samples are nucleic if at least this fraction of their letters are nucleotides and the others are codes of several.
const NUCLEIC_SHARE: f64 = 0.95;
/// The twenty amino acids, and how others are compared.
const AMINO_ACIDS: &str = "ACDEFGHIKLMNPQRSTVWY";
const RARE_AMINO_ACIDS: [(char, char); 3] = [('U', 'C'), ('O', 'K'), ('J', 'L')];
/// The default penalty: about half of a mean match score, twice.
const GAP: f64 = 8.0;
/// Penalties that a search may try.
const GAPS: std::ops::RangeInclusive<f64> = 1.0..=20.0;

/// Scores of pairs of symbols.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubstitutionMatrix {
    symbols: String,
    scores: Vec<f64>,
}

impl SubstitutionMatrix {
    /// BLOSUM62.
    pub fn blosum62() -> Result<Self> {
        Self::parse(BLOSUM62)
    }

    /// Scores of nucleotides.
    pub fn dna() -> Result<Self> {
        Self::parse(DNA)
    }

    /// Reads the matrix format of BLAST: comments after `#`, a line of symbols, then a line of scores per symbol.
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines().zip(1..).filter(|(l, _)| !l.trim().is_empty() && !l.starts_with('#'));
        let fault = |line: usize, what: String| {
            Err(Error::input(format!(
                "substitution matrix, line {line}: {what}; is it a file in BLAST's format?"
            )))
        };
        let Some((header, line)) = lines.next() else { return fault(1, "the file is empty".into()) };
        let mut symbols = String::new();
        for word in header.split_whitespace() {
            match word.chars().next() {
                Some(c) if word.chars().count() == 1 && !symbols.contains(c) => symbols.push(c),
                _ => return fault(line, format!("`{word}` must be a single symbol, named once")),
            }
        }
        let count = symbols.chars().count();
        let mut scores = Vec::with_capacity(count * count);
        for expected in symbols.chars() {
            let Some((row, line)) = lines.next() else {
                return fault(text.lines().count(), format!("there is no row for `{expected}`"));
            };
            let mut words = row.split_whitespace();
            if words.next() != Some(expected.encode_utf8(&mut [0; 4])) {
                return fault(line, format!("the row must begin with `{expected}`"));
            }
            let before = scores.len();
            for word in words {
                match word.parse::<f64>() {
                    Ok(score) if score.abs() <= 1e6 => scores.push(score),
                    _ => return fault(line, format!("`{word}` is not a score")),
                }
            }
            if scores.len() - before != count {
                return fault(
                    line,
                    format!("there are {} scores, but must be {count}", scores.len() - before),
                );
            }
        }
        let matrix = Self { symbols, scores };
        matrix.check()?;
        Ok(matrix)
    }

    /// The format that [`SubstitutionMatrix::parse`] reads.
    fn to_text(&self) -> String {
        let symbols: Vec<String> = self.symbols.chars().map(String::from).collect();
        let mut lines = vec![symbols.join(" ")];
        for (symbol, scores) in symbols.iter().zip(self.scores.chunks(symbols.len().max(1))) {
            let scores: Vec<String> = scores.iter().map(f64::to_string).collect();
            lines.push(format!("{symbol} {}", scores.join(" ")));
        }
        // A single line would be taken for a file path.
        lines.join("\n") + "\n"
    }

    /// Costs must be symmetric and non-negative.
    fn check(&self) -> Result<()> {
        let count = self.count();
        if self.scores.len() != count * count || self.scores.iter().any(|s| !s.is_finite()) {
            return Err(Error::input("the substitution matrix is not square"));
        }
        let symbols: Vec<char> = self.symbols.chars().collect();
        for i in 0..count {
            for j in 0..i {
                let (x, y) = (symbols[i], symbols[j]);
                if (self.score(i, j) - self.score(j, i)).abs() > 0.0 {
                    return Err(Error::input(format!("the scores of `{x}` and `{y}` are not symmetric")));
                }
                if self.cost(i, j) < 0.0 {
                    return Err(Error::input(format!(
                        "the score of `{x}` with `{y}` is above the mean of their scores with themselves, so that \
                         unequal symbols would be nearer than equal ones"
                    )));
                }
            }
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.symbols.chars().count()
    }

    fn score(&self, i: usize, j: usize) -> f64 {
        self.scores[i * self.count() + j]
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        0.5 * (self.score(i, i) + self.score(j, j)) - self.score(i, j)
    }

    /// Symbols outside the matrix, each with the symbol it is compared as.
    fn stand_ins(&self) -> Vec<(char, char)> {
        let has = |c: char| self.symbols.contains(c);
        let known: Vec<(char, char)> = if has('N') && self.symbols.chars().all(|c| NUCLEOTIDES.contains(c)) {
            AMBIGUOUS.chars().map(|code| (code, 'N')).collect()
        } else if AMINO_ACIDS.chars().all(has) {
            RARE_AMINO_ACIDS.to_vec()
        } else {
            Vec::new()
        };
        known.into_iter().filter(|(rare, _)| !has(*rare)).collect()
    }

    /// The smallest score of a symbol with itself.
    fn least_match(&self) -> f64 {
        (0..self.count()).map(|i| self.score(i, i)).fold(f64::INFINITY, f64::min)
    }
}

/// The dissimilarity of a global alignment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    matrix: SubstitutionMatrix,
    gap: f64,
    normalize: bool,
    /// Whether no scores were given: then the training samples decide.
    #[serde(skip)]
    is_undecided: bool,
    /// See [`SubstitutionMatrix::stand_ins`].
    #[serde(skip)]
    stand_ins: Vec<(char, char)>,
}

impl Alignment {
    /// With these scores and this penalty per symbol in a gap.
    pub fn new(matrix: SubstitutionMatrix, gap: f64, normalize: bool) -> Result<Self> {
        let least = -0.5 * matrix.least_match();
        if !(gap > least.max(0.0) && gap <= 1e6) {
            return Err(Error::parameter(
                "gap",
                gap.to_string(),
                format!("above {} and up to 1e6", least.max(0.0)),
            ));
        }
        Ok(Self { stand_ins: matrix.stand_ins(), matrix, gap, normalize, is_undecided: false })
    }

    fn kernel(&self) -> Aligned {
        let place = |c: char| self.matrix.symbols.chars().position(|symbol| symbol == c);
        let own = 0..self.matrix.count();
        // The place of each symbol in the matrix.
        let places: Vec<usize> = own.chain(self.stand_ins.iter().filter_map(|(_, c)| place(*c))).collect();
        let count = places.len();
        // One more for padding and for symbols outside the matrix, which `check` rejects.
        let mut costs = vec![0.0; (count + 1) * (count + 1)];
        for (i, &x) in places.iter().enumerate() {
            for (j, &y) in places.iter().enumerate() {
                costs[i * (count + 1) + j] = if x == y { 0.0 } else { self.matrix.cost(x, y) };
            }
        }
        let mut gaps: Vec<f64> = places.iter().map(|&x| self.gap + 0.5 * self.matrix.score(x, x)).collect();
        gaps.push(self.gap);
        Aligned { count, costs, gaps, normalize: self.normalize }
    }

    /// Symbols are numbered as in the matrix; others follow.
    fn alphabet(&self) -> Alphabet {
        let mut alphabet = Alphabet::new(Unit::Chars);
        alphabet.learn(&self.matrix.symbols);
        alphabet.learn(&self.stand_ins.iter().map(|(rare, _)| *rare).collect::<String>());
        alphabet
    }

    fn is_known(&self, c: char) -> bool {
        self.matrix.symbols.contains(c) || self.stand_ins.iter().any(|(rare, _)| *rare == c)
    }
}

impl Dissimilarity<str> for Alignment {
    fn name(&self) -> &'static str {
        "alignment"
    }

    fn sight(&self) -> Option<Box<dyn Sight<str>>> {
        Some(Box::new(TextSight))
    }

    fn between(&self, a: &str, b: &str) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    /// Nucleotides use the scores of nucleotides, unless others were given.
    fn learn(&mut self, samples: &[&str], _names: &[String]) -> Result<()> {
        if self.is_undecided && are_nucleic(samples.iter().copied()) {
            self.matrix = SubstitutionMatrix::dna()?;
            self.stand_ins = self.matrix.stand_ins();
        }
        self.is_undecided = false;
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let low = GAPS.start().max(0.1 - 0.5 * self.matrix.least_match());
        let high = GAPS.end().max(2.0 * low);
        vec![Parameter { name: "gap".into(), low, high, value: self.gap.clamp(low, high) }]
    }

    fn set(&mut self, p: &[f64]) {
        if let [gap] = *p {
            self.gap = gap;
        }
    }

    fn check(&self, sample: &str) -> Result<()> {
        match sample.chars().zip(0..).find(|(c, _)| !self.is_known(*c)) {
            None => Ok(()),
            Some((c @ ('-' | '.'), at)) => Err(Error::input(format!(
                "the gap `{c}` at position {at}: the sequences are aligned already; remove the gaps"
            ))),
            Some((c, at)) => Err(Error::input(format!(
                "the symbol `{c}` at position {at} is not in the substitution matrix ({}); replace it by one that \
                 is, or choose another dissimilarity",
                self.matrix.symbols
            ))),
        }
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        let is = |known: Result<SubstitutionMatrix>| known.is_ok_and(|known| known == self.matrix);
        let matrix = match () {
            () if is(SubstitutionMatrix::blosum62()) => "blosum62".to_owned(),
            () if is(SubstitutionMatrix::dna()) => "dna".to_owned(),
            () => self.matrix.to_text(),
        };
        vec![setting("matrix", matrix), setting("gap", self.gap), setting("normalize", self.normalize)]
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<str>> {
        Box::new(self.clone())
    }

    fn prepare(&self, many: &[&str]) -> Box<dyn Prepared<str>> {
        Box::new(Grouped::new(self.kernel(), self.alphabet(), many))
    }

    fn effort(&self, sample: &str) -> usize {
        sample.len()
    }
}

/// Costs by symbol number.
struct Aligned {
    count: usize,
    costs: Vec<f64>,
    gaps: Vec<f64>,
    normalize: bool,
}

impl Aligned {
    fn cost_index(&self, symbol: u32) -> usize {
        (symbol as usize).min(self.count)
    }

    fn all_gaps(&self, string: impl Iterator<Item = u32>) -> f64 {
        string.map(|s| self.gaps[self.cost_index(s)]).sum()
    }
}

impl EditCosts for Aligned {
    #[inline(always)]
    fn deletion(&self, symbol: u32) -> f64 {
        self.gaps[self.cost_index(symbol)]
    }

    #[inline(always)]
    fn insertion(&self, symbol: u32) -> f64 {
        self.gaps[self.cost_index(symbol)]
    }

    #[inline(always)]
    fn substitution(&self, symbol: u32, others: &[u32; LANES]) -> [f64; LANES] {
        let width = self.count + 1;
        let row = &self.costs[self.cost_index(symbol) * width..][..width];
        others.map(|other| row[self.cost_index(other)])
    }
}

impl Kernel for Aligned {
    type Group = Group;
    type Buffer = Vec<[f64; LANES]>;
    const WIDTH: usize = LANES;

    fn group(&self, strings: &[&[u32]], _alphabet: usize) -> Group {
        Group::new(strings)
    }

    fn compare(&self, one: &[u32], group: &Group, buffer: &mut Self::Buffer, out: &mut [f64]) {
        let costs = group.distances(one, self, buffer);
        let own = self.all_gaps(one.iter().copied());
        for ((o, cost), lane) in out.iter_mut().zip(costs).zip(0..) {
            let most = own + self.all_gaps(group.string(lane));
            *o = if self.normalize && most > 0.0 { cost / most } else { cost };
        }
    }
}

/// Whether strings are DNA or RNA by their letters: nearly all are nucleotides, the others codes of several.
pub fn are_nucleic<'a>(samples: impl Iterator<Item = &'a str>) -> bool {
    let (mut all, mut plain) = (0_usize, 0_usize);
    for sample in samples {
        if !sample.chars().all(|c| NUCLEOTIDES.contains(c) || AMBIGUOUS.contains(c)) {
            return false;
        }
        all += sample.len();
        plain += sample.chars().filter(|c| NUCLEOTIDES.contains(*c)).count();
    }
    all > 0 && plain as f64 >= NUCLEIC_SHARE * all as f64
}

fn make(settings: &Settings) -> Result<Box<dyn Dissimilarity<str>>> {
    settings.only("alignment", &["matrix", "gap", "normalize"])?;
    let given = settings.get::<String>("matrix", "blosum62, dna or a file")?;
    let is = |name: &str| given.as_deref().is_some_and(|given| given.eq_ignore_ascii_case(name));
    let matrix = match given.as_deref() {
        None => SubstitutionMatrix::blosum62()?,
        Some(_) if is("blosum62") => SubstitutionMatrix::blosum62()?,
        Some(_) if is("dna") => SubstitutionMatrix::dna()?,
        // The matrix itself, as in the settings of a stored model.
        Some(text) if text.contains('\n') => SubstitutionMatrix::parse(text)?,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| {
                Error::parameter("matrix", format!("`{path}` ({e})"), "blosum62, dna or a readable file")
            })?;
            SubstitutionMatrix::parse(&text)?
        }
    };
    let gap = settings.get("gap", "a number above 0")?.unwrap_or(GAP);
    let made = Alignment::new(matrix, gap, settings.truth("normalize", true)?)?;
    Ok(Box::new(Alignment { is_undecided: given.is_none(), ..made }))
}

pub(super) const ENTRY: Entry<str> = Entry {
    name: "alignment",
    summary: "global alignment with a substitution matrix; settings: matrix (blosum62, dna or a file; detected from the letters by default), gap, normalize",
    make,
    restore: |state| {
        super::super::restored(state, |d: Alignment| {
            d.matrix.check().ok()?;
            Alignment::new(d.matrix, d.gap, d.normalize).ok().map(|d| d.boxed())
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blosum62_is_read_and_other_files_are_checked() {
        let matrix = SubstitutionMatrix::blosum62().unwrap();
        assert!(matrix.symbols.starts_with("ARNDCQEGHILKMFPSTWYV"));
        let at = |c: char| matrix.symbols.chars().position(|s| s == c).unwrap();
        // Entries of the published table.
        assert!((matrix.score(at('W'), at('W')) - 11.0).abs() < 1e-15);
        assert!((matrix.score(at('A'), at('R')) + 1.0).abs() < 1e-15);
        let say = |text: &str| SubstitutionMatrix::parse(text).unwrap_err().to_string();
        assert!(say("").contains("empty"));
        assert!(say("A C\nA 1 2\n").contains("no row for `C`"));
        assert!(say("A C\nA 1 x\nC 1 1").contains("`x` is not a score"));
        assert!(say("A C\nA 1 2\nC 2 1").contains("above the mean"));
        assert!(say("A C\nA 4 0\nC 1 4").contains("not symmetric"));
    }

    #[test]
    fn nucleotides_have_scores_of_their_own() {
        let measure = |settings: &[&str]| {
            let mut all = Settings::default();
            for text in settings {
                all.parse(text).unwrap();
            }
            make(&all).unwrap()
        };
        let learned = |settings: &[&str], samples: &[&str]| {
            let mut measure = measure(settings);
            measure.learn(samples, &[]).unwrap();
            measure
        };
        let matrix_of = |measure: &dyn Dissimilarity<str>| measure.settings()[0].1.clone();
        let (dna, proteins) = (["ACGT", "GGTN"], ["ACGT", "MKWV"]);
        // One code of several bases in a hundred letters.
        let coded = ["ACGT".repeat(25), "R".to_owned()];
        assert_eq!(matrix_of(learned(&[], &coded.each_ref().map(String::as_str)).as_ref()), "dna");
        assert_eq!(matrix_of(learned(&[], &["ACGR", "ACGY"]).as_ref()), "blosum62");
        assert_eq!(matrix_of(learned(&["matrix=BLOSUM62"], &dna).as_ref()), "blosum62");
        let coded = learned(&["matrix=DNA", "normalize=false"], &dna);
        assert!((coded.between("ACGR", "ACGA") - coded.between("ACGN", "ACGA")).abs() < 1e-12);
        assert!(coded.between("ACGR", "ACGN").abs() < 1e-12 && coded.check("ACGE").is_err());
        assert_eq!(matrix_of(learned(&[], &dna).as_ref()), "dna");
        assert_eq!(matrix_of(learned(&[], &proteins).as_ref()), "blosum62");
        assert_eq!(matrix_of(learned(&["matrix=blosum62"], &dna).as_ref()), "blosum62");
        let measure = learned(&["normalize=false"], &dna);
        // Replacing costs 5 + 4, and T is U.
        assert!((measure.between("ACGT", "ACGA") - 9.0).abs() < 1e-12);
        assert!(measure.between("ACGT", "ACGU").abs() < 1e-12);
    }

    #[test]
    fn an_alignment_matches_hand_computation() {
        let d = Alignment::new(SubstitutionMatrix::blosum62().unwrap(), 8.0, false).unwrap();
        // AW and W: S = 11 - 8 = 3, S(a, a) = 4 + 11, S(b, b) = 11: 13 - 3 = 10.
        assert!((d.between("AW", "W") - 10.0).abs() < 1e-12);
        assert!(d.between("AW", "AW").abs() < 1e-12);
        let said = d.check("A-C").unwrap_err().to_string();
        assert!(d.check("A1").is_err() && said.ends_with("aligned already; remove the gaps"), "{said}");
        // Rare amino acids.
        d.check("UOJ").unwrap();
        assert!(d.between("AUOJ", "ACKL").abs() < 1e-12);
        assert!((d.between("AU", "AW") - d.between("AC", "AW")).abs() < 1e-12);
        let d = Alignment::new(SubstitutionMatrix::blosum62().unwrap(), 8.0, true).unwrap();
        // Gaps: A 8 + 2, W 8 + 5.5.
        assert!((d.between("AW", "W") - 10.0 / 37.0).abs() < 1e-12);
    }
}
