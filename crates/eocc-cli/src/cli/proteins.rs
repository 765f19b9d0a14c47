//! The options of `eocc proteins`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::OutputFormat;
use super::options::size;

#[derive(Debug, Args)]
pub(crate) struct ProteinsArgs {
    #[command(subcommand)]
    pub(crate) command: ProteinsCommand,
}

/// What to make of the structures.
#[derive(Debug, Subcommand)]
pub(crate) enum ProteinsCommand {
    /// A table: a row a protein, fifteen features of its contact graph.
    Features(FeaturesArgs),
    /// Contact graphs, as JSON node-link, one a line.
    Graph(GraphArgs),
    /// The residues in the spectral order of the contact graph: series of three properties, as JSON Lines.
    Series(SeriesArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
One row a protein:
  name                its name
  vertices            residues with a CA atom
  chains              chains
  radius_of_gyration  root mean square distance of the CA atoms from their centre, in Å
  modularity          of the communities that the method of Louvain finds
  average_degree      contacts of a residue, on average
  heat_trace          sum of exp(-l) over the eigenvalues l of the normalised Laplacian
  heat_content        sum of the entries of exp(-L), L the normalised Laplacian
  edges               contacts
  clustering          share of pairs of neighbours that are neighbours, on average
  path_length         steps between two residues that are connected, on average
  closeness           closeness centrality, on average
  betweenness         largest betweenness centrality
  spectral_radius     largest eigenvalue of the adjacency matrix
  energy              sum of the sizes of its eigenvalues
  laplacian_energy    sum of |m - average degree| over the eigenvalues m of the Laplacian
Of a FASTA file, which has no structures: length, molecular weight, hydropathy, charge and the like of the sequences.

Examples:
  eocc proteins features structures/ -o features.csv
  eocc fit features.csv -o soluble.eocc --labels classes.csv --nominal soluble
  eocc proteins features proteins.fasta -o features.csv")]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    pub(crate) read: StructureArgs,
    /// Format of the output; by the extension of the file unless given, else CSV.
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Where to write; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A vertex for each residue, with three properties of its amino acid; an edge for each contact, with the distance to a tenth of an
Å. A structure of more residues or contacts than graph edit distance takes is left out, and named.

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
Residues come in the order of the leading eigenvector of the contact graph, largest entry first, ties in the order of the file; of
a graph in several parts one part after the other, the largest first.

Examples:
  eocc proteins series structures/ -o series.jsonl
  eocc fit series.jsonl -o soluble.eocc --labels classes.csv --nominal soluble")]
pub(crate) struct SeriesArgs {
    #[command(flatten)]
    pub(crate) residues: ResidueArgs,
}

/// What becomes of each structure with its residues.
#[derive(Debug, Args)]
pub(crate) struct ResidueArgs {
    #[command(flatten)]
    pub(crate) read: StructureArgs,
    /// The three properties of amino acids.
    #[arg(long, value_enum, value_name = "NAME", default_value = "pp")]
    pub(crate) properties: PropertiesName,
    /// Where to write, as JSON Lines; standard output unless given.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Where structures come from, and what a contact is.
#[derive(Debug, Args)]
pub(crate) struct StructureArgs {
    /// A folder of structures, or one: PDB (.pdb, .ent) or mmCIF (.cif, .mmcif), or a table of CA atoms (.csv) with the columns
    /// id, chain, resseq, aa, x, y, z; packed with gzip or zstd or not. A file that cannot be read is named and left out.
    pub(crate) data: PathBuf,
    /// Only these chains, separated by commas; all unless given.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) chain: Vec<String>,
    /// Residues whose CA atoms are at least so far apart, in Å, and
    #[arg(long, value_name = "Å", default_value_t = 4.0)]
    pub(crate) min_distance: f64,
    /// at most so far are in contact.
    #[arg(long, value_name = "Å", default_value_t = 8.0)]
    pub(crate) max_distance: f64,
    /// Most memory that reading a file may take, such as `500MB`; unless given, 200 times its size, or 192 MiB.
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
