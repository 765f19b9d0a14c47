//! The options of `eocc proteins`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::OutputFormat;
use super::options::{output, size};

#[derive(Debug, Args)]
pub(crate) struct ProteinsArgs {
    #[command(subcommand)]
    pub(crate) command: ProteinsCommand,
}

/// What structures become.
#[derive(Debug, Subcommand)]
pub(crate) enum ProteinsCommand {
    /// A table with fifteen features of each contact graph, one row per protein.
    Features(FeaturesArgs),
    /// Contact graphs, as JSON node-link, one per line.
    Graph(GraphArgs),
    /// The residues in the spectral order of the contact graph, as series of three properties, in JSON Lines.
    Series(SeriesArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
One row per protein:
  name                its name
  vertices            residues with a CA atom
  chains              chains
  radius_of_gyration  root mean square distance of the CA atoms from their center, in Å
  modularity          of the communities found by the Louvain method
  average_degree      mean number of contacts per residue
  heat_trace          sum of exp(-l) over the eigenvalues l of the normalized Laplacian
  heat_content        sum of the entries of exp(-L), L the normalized Laplacian
  edges               contacts
  clustering          mean clustering coefficient
  path_length         mean shortest path between connected residues
  closeness           mean closeness centrality
  betweenness         largest betweenness centrality
  spectral_radius     largest eigenvalue of the adjacency matrix
  energy              sum of the absolute values of its eigenvalues
  laplacian_energy    sum of |m - average degree| over the eigenvalues m of the Laplacian
For a FASTA file, features of the sequences: length, molecular weight, hydropathy, charge and others.

Examples:
  eocc proteins features structures/ -o features.csv
  eocc fit features.csv -o soluble.eocc --labels classes.csv --nominal soluble
  eocc proteins features proteins.fasta -o features.csv")]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    pub(crate) read: StructureArgs,
    /// Output format; by default, from the extension of the output file, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Where to write; standard output by default.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A vertex for each residue, with three properties of its amino acid; an edge for each contact, with the distance rounded to \
0.1 Å. Structures with more residues or contacts than graph edit distance supports are left out and reported.

Examples:
  eocc proteins graph structures/ -o graphs.jsonl
  eocc fit graphs.jsonl -o soluble.eocc --labels classes.csv --nominal soluble
  eocc proteins graph 1abc.cif.gz --chain A --min-distance 0 --max-distance 7")]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) residues: ResidueArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Residues are ordered by the leading eigenvector of the contact graph, largest entry first, ties by their order in the file. A \
graph in several parts is listed part by part, largest first.

Examples:
  eocc proteins series structures/ -o series.jsonl
  eocc fit series.jsonl -o soluble.eocc --labels classes.csv --nominal soluble")]
pub(crate) struct SeriesArgs {
    #[command(flatten)]
    pub(crate) residues: ResidueArgs,
}

/// How each structure with its residues is written.
#[derive(Debug, Args)]
pub(crate) struct ResidueArgs {
    #[command(flatten)]
    pub(crate) read: StructureArgs,
    /// The three properties of amino acids.
    #[arg(long, value_enum, value_name = "NAME", default_value = "pp")]
    pub(crate) properties: PropertiesName,
    /// Where to write, as JSON Lines; standard output by default.
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub(crate) output: Option<PathBuf>,
}

/// Where structures come from, and what a contact is.
#[derive(Debug, Args)]
pub(crate) struct StructureArgs {
    /// A folder of structures, or one: PDB (.pdb, .ent) or mmCIF (.cif, .mmcif), or a table of CA atoms (.csv) with the columns
    /// id, chain, resseq, aa, x, y, z; optionally compressed with gzip or zstd. Unreadable files are reported and left out.
    pub(crate) data: PathBuf,
    /// Only these chains, separated by commas; all by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) chain: Vec<String>,
    /// Smallest distance of CA atoms in contact, in Å.
    #[arg(long, value_name = "Å", default_value_t = 4.0)]
    pub(crate) min_distance: f64,
    /// Largest distance of CA atoms in contact, in Å.
    #[arg(long, value_name = "Å", default_value_t = 8.0)]
    pub(crate) max_distance: f64,
    /// Memory limit for reading a file, such as `500MB`; by default 200 times its size, but at least 192 MiB.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
}

/// Three properties of amino acids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PropertiesName {
    /// PP1 to PP3 (Cruciani 2004): polarity, hydrophobicity, hydrogen bonds.
    Pp,
    /// z1 to z3 (Sandberg 1998): lipophilicity, bulk, polarity.
    Z,
}
