//! The twenty amino acids: codes, modified residues, and their properties.

/// A three-dimensional description of amino acids, principal components of many measured properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Descriptors {
    /// PP1 to PP3: polarity, hydrophobicity and hydrogen bonds, from interaction fields (G. Cruciani, M. Baroni, E. Carosati
    /// et al., "Peptide studies by means of principal properties of amino acids derived from MIF descriptors", Journal of
    /// Chemometrics 18, 2004).
    #[default]
    Pp,
    /// z1 to z3: lipophilicity, bulk and polarity (M. Sandberg, L. Eriksson, J. Jonsson et al., "New chemical descriptors
    /// relevant for the design of biologically active peptides", Journal of Medicinal Chemistry 41, 1998).
    Z,
}

impl Descriptors {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pp => "pp",
            Self::Z => "z",
        }
    }

    /// The description of an amino acid by its one-letter code. Any other letter gets their mean.
    pub fn describe(self, letter: char) -> [f64; 3] {
        let values = |row: &Row| match self {
            Self::Pp => row.pp,
            Self::Z => row.z,
        };
        // Selenocysteine and pyrrolysine are described as the residues they derive from.
        let letter = match letter {
            'U' => 'C',
            'O' => 'K',
            other => other,
        };
        if let Some(row) = TABLE.iter().find(|row| row.letter == letter) {
            return values(row);
        }
        let mut mean = [0.0; 3];
        for row in &TABLE {
            for (m, v) in mean.iter_mut().zip(values(row)) {
                *m += v / TABLE.len() as f64;
            }
        }
        mean
    }
}

struct Row {
    letter: char,
    name: &'static str,
    pp: [f64; 3],
    z: [f64; 3],
}

const fn row(letter: char, name: &'static str, pp: [f64; 3], z: [f64; 3]) -> Row {
    Row { letter, name, pp, z }
}

#[rustfmt::skip]
const TABLE: [Row; 20] = [
    row('A', "ALA", [-0.96, -0.76, 0.31], [0.24, -2.32, 0.6]),
    row('C', "CYS", [-0.55, -0.47, 0.19], [0.84, -1.67, 3.75]),
    row('D', "ASP", [1.0, -0.89, -1.0], [3.98, 0.93, 1.93]),
    row('E', "GLU", [0.94, -0.54, -0.99], [3.11, 0.26, -0.11]),
    row('F', "PHE", [-0.85, 0.48, -0.58], [-4.22, 1.94, 1.06]),
    row('G', "GLY", [-0.88, -1.0, 0.49], [2.05, -4.06, 0.36]),
    row('H', "HIS", [0.67, -0.11, 0.37], [2.47, 1.95, 0.26]),
    row('I', "ILE", [-0.94, -0.05, -0.18], [-3.89, -1.73, -1.71]),
    row('K', "LYS", [0.6, 0.1, 1.0], [2.29, 0.89, -2.49]),
    row('L', "LEU", [-0.9, 0.03, -0.24], [-4.28, -1.3, -1.49]),
    row('M', "MET", [-0.82, 0.03, -0.08], [-2.85, -0.22, 0.47]),
    row('N', "ASN", [0.82, -0.57, 0.02], [3.05, 1.62, 1.04]),
    row('P', "PRO", [-0.81, -0.4, -0.07], [-1.66, 0.27, 1.84]),
    row('Q', "GLN", [0.78, -0.3, -0.38], [1.75, 0.5, -1.44]),
    row('R', "ARG", [0.8, 0.63, 0.99], [3.52, 2.5, -3.5]),
    row('S', "SER", [0.41, -0.82, 0.57], [2.39, -1.07, 1.15]),
    row('T', "THR", [0.4, -0.64, 0.37], [0.75, -2.18, -1.12]),
    row('V', "VAL", [-1.0, -0.43, -0.14], [-2.59, -2.64, -1.54]),
    row('W', "TRP", [0.06, 1.0, -0.47], [-4.36, 3.94, 0.59]),
    row('Y', "TYR", [0.31, 0.42, -0.2], [-2.54, 2.44, 0.43]),
];

/// Modified residues that are common in the Protein Data Bank, and the amino acid each derives from.
#[rustfmt::skip]
const MODIFIED: [(&str, char); 45] = [
    ("MSE", 'M'), ("FME", 'M'), ("MHO", 'M'), ("SME", 'M'), ("CXM", 'M'), ("SEC", 'U'), ("PYL", 'O'), ("ASX", 'B'),
    ("GLX", 'Z'), ("SEP", 'S'), ("TPO", 'T'), ("PTR", 'Y'), ("TYS", 'Y'), ("CSO", 'C'), ("CME", 'C'), ("CSD", 'C'),
    ("CSX", 'C'), ("CSS", 'C'), ("OCS", 'C'), ("CAS", 'C'), ("SMC", 'C'), ("YCM", 'C'), ("SNC", 'C'), ("CYG", 'C'),
    ("KCX", 'K'), ("LLP", 'K'), ("MLY", 'K'), ("M3L", 'K'), ("MLZ", 'K'), ("ALY", 'K'), ("LYZ", 'K'), ("HYP", 'P'),
    ("PCA", 'Q'), ("MEN", 'N'), ("BHD", 'D'), ("PHD", 'D'), ("ASB", 'D'), ("CGU", 'E'), ("NEP", 'H'), ("HIC", 'H'),
    ("TRQ", 'W'), ("AGM", 'R'), ("DAL", 'A'), ("SAR", 'G'), ("MVA", 'V'),
];

/// The meaning of a three-letter residue name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// One of the twenty.
    Standard(char),
    /// A modified residue, and the amino acid it derives from.
    Modified(char),
    /// Neither: an unknown amino acid, a ligand, a nucleotide, an ion.
    Unknown,
}

/// Looks up a three-letter name.
pub(crate) fn named(name: &str) -> Named {
    if let Some(row) = TABLE.iter().find(|row| row.name == name) {
        return Named::Standard(row.letter);
    }
    match MODIFIED.iter().find(|m| m.0 == name) {
        Some(&(_, letter)) => Named::Modified(letter),
        None => Named::Unknown,
    }
}

/// The letter itself if it denotes an amino acid, `X` otherwise.
pub(crate) fn letter(text: &str) -> char {
    match text.chars().next() {
        Some(c) if text.len() == 1 && "ACDEFGHIKLMNPQRSTVWYUO".contains(c.to_ascii_uppercase()) => {
            c.to_ascii_uppercase()
        }
        _ => 'X',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once() {
        let mut names: Vec<&str> = TABLE.iter().map(|r| r.name).chain(MODIFIED.iter().map(|m| m.0)).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(named("TRP"), Named::Standard('W'));
        assert_eq!(named("MSE"), Named::Modified('M'));
        assert_eq!(named("HOH"), Named::Unknown);
    }

    #[test]
    fn what_is_unknown_has_the_mean() {
        for d in [Descriptors::Pp, Descriptors::Z] {
            let mut mean = [0.0; 3];
            for c in "ACDEFGHIKLMNPQRSTVWY".chars() {
                for (m, v) in mean.iter_mut().zip(d.describe(c)) {
                    *m += v / 20.0;
                }
            }
            for (m, v) in mean.iter().zip(d.describe('X')) {
                assert!((m - v).abs() < 1e-12);
            }
        }
        let pairs = Descriptors::Pp.describe('U').into_iter().zip(Descriptors::Pp.describe('C'));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
    }

    /// The published tables again, as in the data folder.
    #[test]
    fn values_are_those_of_the_data_folder() {
        let folder = std::env::var_os("EOCC_DATA").map_or_else(
            || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
            std::path::PathBuf::from,
        );
        let path = folder.join("esol/aa_descriptors.csv");
        if !path.is_file() {
            return;
        }
        let table = eocc_data::read(&path, &eocc_data::ReadOptions::default()).unwrap();
        let column = |name: &str| table.column(name).unwrap();
        let letters: Vec<char> = table.text(column("aa")).map(|t| letter(&t)).collect();
        for (d, names) in [(Descriptors::Pp, ["pp1", "pp2", "pp3"]), (Descriptors::Z, ["z1", "z2", "z3"])] {
            let values = table.numbers(&names.map(column)).unwrap();
            for (i, c) in letters.iter().enumerate() {
                assert!(
                    d.describe(*c).iter().zip(&values[3 * i..3 * i + 3]).all(|(a, b)| (a - b).abs() < 1e-12),
                    "{c}"
                );
            }
        }
        assert_eq!(letters.len(), 20);
    }
}
