//! Graph edit distance: the cheapest way to turn one labelled graph into another by inserting, deleting and
//! substituting vertices and edges.
//!
//! [`Costs`] and [methods](Method) are independent. Finding the cheapest edit path is NP-hard: `exact` does it for
//! small graphs; the other methods find a cheap path and a lower bound.
//!
//! The tests check, for every pair:
//!
//! - `lower <= exact <= upper`, and `refine <= bipartite`;
//! - the cost of the returned map is the returned upper bound;
//! - both orders of the pair give the same bits.

mod assignment;
mod branches;
mod costs;
mod exact;
mod ipfp;
mod labels;
mod pair;
mod path;
mod prepared;
mod profile;
mod refine;
mod shape;
mod texts;
mod vocabulary;

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::settings::{setting, word};
use super::sight::GraphSight;
use super::{Dissimilarity, Entry, Parameter, Prepared, SearchCache, Settings, Sight};
use crate::error::{Error, ErrorKind, ModelFault, Result};
use crate::graphs::LabelledGraph;
use crate::numbers::State;
use crate::observer::{Observer, Progress};
use crate::parallel;
use costs::Rates;
use exact::Exact;
use ipfp::Relaxed;
use pair::{Pair, Tables, UNMAPPED};
use prepared::{Profiles, Shapes};
use profile::Profile;
use vocabulary::Lookup;

pub use costs::{Costs, Metric, SchemaCosts, Weighted};
pub use exact::Limits;
pub use path::{Edit, EditPath, Part};

/// How the cheapest edits are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// One vertex assignment with a quick estimate of the edge costs. Its cost is the lower bound, the assignment is the
    /// map (D. Blumenthal, J. Gamper, "Improved lower bounds for graph edit distance", IEEE TKDE 30, 2018).
    BranchFast,
    /// One vertex assignment, whose costs include an optimal assignment of the incident edges (K. Riesen, H. Bunke,
    /// "Approximate graph edit distance computation by means of bipartite graph matching", Image and Vision Computing
    /// 27, 2009).
    Bipartite,
    /// Local search from the map of `Bipartite`.
    #[default]
    Refine,
    /// Frank–Wolfe on the relaxed problem from several starts, each finished by local search.
    Ipfp,
    /// Branch and bound, up to [`Limits`].
    Exact,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::BranchFast, Self::Bipartite, Self::Refine, Self::Ipfp, Self::Exact];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::BranchFast => "branch-fast",
            Self::Bipartite => "bipartite",
            Self::Refine => "refine",
            Self::Ipfp => "ipfp",
            Self::Exact => "exact",
        }
    }
}

impl std::str::FromStr for Method {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|m| m.name() == text).ok_or(())
    }
}

/// Bounds of an edit distance; equal if it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// No edit path is cheaper.
    pub lower: f64,
    /// The cost of an edit path that was found.
    pub upper: f64,
}

/// The graph edit distance as a dissimilarity: the upper bound that the method finds, by default divided by the cost
/// of deleting one graph and inserting the other. Two graphs without vertices have distance 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphEdit {
    costs: Costs,
    method: Method,
    normalize: bool,
    starts: usize,
    seed: u64,
    steps: u64,
    seconds: Option<f64>,
    /// Whether a lower bound is so much cheaper than a distance that it pays to compute it first.
    use_lower_bounds: bool,
    #[serde(skip)]
    rates: Rates,
}

/// Default maximum number of starts of `ipfp`.
const STARTS: usize = 40;
/// At or above this mean number of vertices, `refine` takes several times as long as computing the lower bound
/// (measured: twice as long at 11 vertices, six times at 16).
const BOUNDS_PAY: f64 = 12.0;

impl GraphEdit {
    /// With these costs, by `refine`, normalized.
    pub fn new(costs: Costs) -> Self {
        let rates = costs.rates();
        let Limits { steps, seconds } = Limits::default();
        Self {
            costs,
            method: Method::default(),
            normalize: true,
            starts: STARTS,
            seed: 0,
            steps,
            seconds,
            use_lower_bounds: false,
            rates,
        }
    }

    /// By this method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Whether distances are divided by the cost of deleting one graph and inserting the other.
    #[must_use]
    pub fn normalize(mut self, normalize: bool) -> Self {
        self.normalize = normalize;
        self
    }

    /// Maximum number of starts of `ipfp`, at least 1; graphs of `n` vertices have at most `4 + 2 n`.
    #[must_use]
    pub fn starts(mut self, starts: usize) -> Self {
        self.starts = starts.max(1);
        self
    }

    /// When `exact` stops early.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        (self.steps, self.seconds) = (limits.steps, limits.seconds);
        self
    }

    /// The costs.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Bounds of the distance of two graphs: the lower bound of `branch-fast`, or that of `exact`, and the upper bound
    /// of the method.
    pub fn bounds(&self, a: &LabelledGraph, b: &LabelledGraph) -> Bounds {
        let (a, b) = (Profile::new(a, &self.rates), Profile::new(b, &self.rates));
        with_workspace(|w| self.scaled(w.bounds(self, &a, &b, true, None), &a, &b))
    }

    /// Bounds of many pairs, given by indices; each graph is prepared once, and pairs run in parallel.
    pub fn bounds_of_pairs(
        &self,
        graphs: &[&LabelledGraph],
        pairs: &[(usize, usize)],
        observer: &dyn Observer,
    ) -> Result<Vec<Bounds>> {
        if let Some(&(a, b)) = pairs.iter().find(|(a, b)| a.max(b) >= &graphs.len()) {
            let allowed = format!("below {}, the number of graphs", graphs.len());
            return Err(Error::parameter("pair", format!("({a}, {b})"), allowed));
        }
        let profiles: Vec<Profile> =
            parallel::map(graphs.len(), 16, &|g| Profile::new(graphs[g], &self.rates));
        let done = AtomicUsize::new(0);
        parallel::try_map(pairs.len(), 1, &|pair| {
            if observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let (a, b) = pairs[pair];
            let (a, b) = (&profiles[a], &profiles[b]);
            let bounds = with_workspace(|w| self.scaled(w.bounds(self, a, b, true, None), a, b));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(256) {
                observer.progress(&Progress::Stage { name: "distances", done, total: pairs.len() });
            }
            Ok(bounds)
        })
    }

    /// How the first graph is turned into the second, edit by edit.
    pub fn path(&self, a: &LabelledGraph, b: &LabelledGraph) -> EditPath {
        let (pa, pb) = (Profile::new(a, &self.rates), Profile::new(b, &self.rates));
        with_workspace(|w| {
            let bounds = w.bounds(self, &pa, &pb, true, None);
            EditPath::new(a, b, w.map_between(&pa, &pb), &self.rates, bounds)
        })
    }

    fn scaled(&self, bounds: Bounds, a: &Profile, b: &Profile) -> Bounds {
        let whole = a.erase + b.erase;
        let scale = |v: f64| match (self.normalize, whole > 0.0) {
            (false, _) => v.max(0.0),
            (true, true) => (v / whole).clamp(0.0, 1.0),
            (true, false) => 0.0,
        };
        Bounds { lower: scale(bounds.lower), upper: scale(bounds.upper) }
    }

    fn limits_now(&self) -> Limits {
        Limits { steps: self.steps, seconds: self.seconds }
    }
}

/// All buffers that a pair needs, reused from pair to pair.
#[derive(Debug, Clone, Default)]
struct Workspace {
    tables: Tables,
    relaxed: Relaxed,
    exact: Exact,
    /// The map found, from the first graph of the pair (see `goes_before`) to the second.
    map: Vec<u32>,
    turned: Vec<u32>,
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Runs with the buffers of this thread.
fn with_workspace<T>(work: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with(|w| match w.try_borrow_mut() {
        Ok(mut w) => work(&mut w),
        Err(_) => work(&mut Workspace::default()),
    })
}

impl Workspace {
    /// Bounds of the cost, not normalized; the lower one is 0 unless requested. `known` holds branch estimates computed
    /// earlier, with `a` as the graph that is not in the prepared set.
    fn bounds(
        &mut self,
        d: &GraphEdit,
        a: &Profile,
        b: &Profile,
        lower: bool,
        known: Option<Lookup<'_>>,
    ) -> Bounds {
        self.map.clear();
        if a.is_same(b) {
            self.map.extend(0..a.vertices as u32);
            return Bounds { lower: 0.0, upper: 0.0 };
        }
        let is_first = a.goes_before(b);
        let (g, h) = if is_first { (a, b) } else { (b, a) };
        let known = known.map(|k| Lookup { is_first, ..k });
        let mut pair = Pair::new(g, h, &d.rates, &mut self.tables).looking_up(known);
        let mut below = 0.0;
        // The other methods find the same bound on the way.
        if d.method == Method::BranchFast || (lower && d.method == Method::Bipartite) {
            pair.fill_branch_fast();
            below = (pair.erase() + pair.solve()).max(0.0);
        }
        let relaxed = &mut self.relaxed;
        match d.method {
            Method::BranchFast => {
                pair.read_map(&mut self.map);
                pair.fill_adjacency();
            }
            Method::Bipartite => {
                pair.fill_bipartite();
                pair.solve();
                pair.read_map(&mut self.map);
                pair.fill_adjacency();
            }
            Method::Refine | Method::Ipfp | Method::Exact => {
                pair.fill_adjacency();
                let least = relaxed.refine(&mut pair);
                below = (pair.erase() + least).max(0.0);
                if d.method != Method::Refine {
                    relaxed.run(&mut pair, d.starts, d.seed, below);
                }
                self.map.clone_from(&relaxed.best);
            }
        }
        if d.method == Method::Exact {
            below = self.exact.run(&pair, &mut self.map, below, &d.limits_now()).max(below);
        }
        if pair.savings(&self.map) > 0.0 {
            self.map.fill(UNMAPPED);
        }
        let upper = pair.cost(&self.map).max(0.0);
        // Both sum the same numbers in different orders.
        Bounds { lower: below.min(upper), upper }
    }

    /// The lower bound of the cost, not normalized.
    fn lower(&mut self, d: &GraphEdit, a: &Profile, b: &Profile, known: Option<Lookup<'_>>) -> f64 {
        if a.is_same(b) {
            return 0.0;
        }
        let is_first = a.goes_before(b);
        let (g, h) = if is_first { (a, b) } else { (b, a) };
        let known = known.map(|k| Lookup { is_first, ..k });
        let mut pair = Pair::new(g, h, &d.rates, &mut self.tables).looking_up(known);
        pair.fill_branch_fast();
        (pair.erase() + pair.solve()).max(0.0)
    }

    /// The last map found, from `a` to `b`.
    fn map_between(&mut self, a: &Profile, b: &Profile) -> &[u32] {
        if a.is_same(b) || a.goes_before(b) {
            return &self.map;
        }
        self.turned.clear();
        self.turned.resize(a.vertices, UNMAPPED);
        for (u, &v) in self.map.iter().enumerate() {
            if v != UNMAPPED {
                self.turned[v as usize] = u as u32;
            }
        }
        &self.turned
    }
}

impl Dissimilarity<LabelledGraph> for GraphEdit {
    fn name(&self) -> &'static str {
        "ged"
    }

    fn sight(&self) -> Option<Box<dyn Sight<LabelledGraph>>> {
        Some(Box::new(GraphSight::new(self.rates.labels())))
    }

    fn learn(&mut self, samples: &[&LabelledGraph], _names: &[String]) -> Result<()> {
        self.costs.learn(samples)?;
        self.rates = self.costs.rates();
        let vertices: usize = samples.iter().map(|g| g.vertices()).sum();
        let is_slow = matches!(self.method, Method::Ipfp | Method::Exact);
        self.use_lower_bounds = is_slow || vertices as f64 >= BOUNDS_PAY * samples.len() as f64;
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.costs.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.costs.set(p);
        self.rates = self.costs.rates();
    }

    fn between(&self, a: &LabelledGraph, b: &LabelledGraph) -> f64 {
        let (a, b) = (Profile::new(a, &self.rates), Profile::new(b, &self.rates));
        with_workspace(|w| self.scaled(w.bounds(self, &a, &b, false, None), &a, &b).upper)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        let mut all = vec![
            setting("costs", self.costs.name()),
            setting("method", word(&self.method)),
            setting("normalize", self.normalize),
            setting("starts", self.starts),
            setting("seed", self.seed),
            setting("steps", self.steps),
        ];
        all.extend(self.seconds.map(|seconds| setting("seconds", seconds)));
        if let Costs::Schema(schema) = &self.costs {
            all.extend(schema.chosen.iter().map(|(name, metric)| setting(name, word(metric))));
        }
        all
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<LabelledGraph>> {
        Box::new(self.clone())
    }

    fn prepare(&self, many: &[&LabelledGraph]) -> Box<dyn Prepared<LabelledGraph>> {
        Box::new(Profiles::new(self, Shapes::new(&self.rates, many, false)))
    }

    fn prepare_cached<'s>(
        &self,
        many: &[&'s LabelledGraph],
        cache: &mut SearchCache<'s>,
    ) -> Box<dyn Prepared<LabelledGraph>> {
        if self.costs.parameters().is_empty() {
            // Nothing will change, so nothing is worth caching.
            return self.prepare(many);
        }
        Box::new(Profiles::new(self, Shapes::cached(&self.rates, many, cache)))
    }

    fn has_bounds(&self) -> bool {
        self.use_lower_bounds
    }
}

impl GraphEdit {
    /// The measure described by these settings.
    pub fn from_settings(settings: &Settings) -> Result<Self> {
        let mut known = vec!["costs", "method", "normalize", "starts", "seed", "steps", "seconds"];
        let keys: Vec<String> = settings.keys().map(str::to_owned).collect();
        let metrics = keys.iter().filter(|k| k.starts_with("vertex.") || k.starts_with("edge."));
        let mut chosen = Vec::new();
        for key in metrics {
            if let Some(metric) = settings.get::<Metric>(key, "number, category, text or ignore")? {
                chosen.push((key.clone(), metric));
            }
            known.push(key);
        }
        settings.only("ged", &known)?;
        let mut d = GraphEdit::new(Costs::from_settings(settings, chosen)?);
        let allowed = "branch-fast, bipartite, refine, ipfp or exact";
        d.method = settings.get("method", allowed)?.unwrap_or_default();
        d.normalize = settings.get("normalize", "true or false")?.unwrap_or(true);
        d.starts = settings.get("starts", "a number of at least 1")?.unwrap_or(STARTS);
        if d.starts == 0 {
            return Err(Error::parameter("starts", 0, "a number of at least 1"));
        }
        d.seed = settings.get("seed", "a whole number")?.unwrap_or(0);
        d.steps = settings.get("steps", "a whole number")?.unwrap_or(d.steps);
        d.seconds = settings.get("seconds", "a number of seconds")?;
        if let Some(s) = d.seconds
            && !(s >= 0.0 && s.is_finite())
        {
            return Err(Error::parameter("seconds", s, "a number of seconds of at least 0"));
        }
        Ok(d)
    }
}

fn make(settings: &Settings) -> Result<Box<dyn Dissimilarity<LabelledGraph>>> {
    Ok(Box::new(GraphEdit::from_settings(settings)?))
}

fn restore(state: &State<'_>) -> Result<Box<dyn Dissimilarity<LabelledGraph>>> {
    Ok(Box::new(GraphEdit::from_state(state)?))
}

impl GraphEdit {
    /// From the value of [`state`](Dissimilarity::state).
    pub fn from_state(state: &State<'_>) -> Result<Self> {
        let mut d: GraphEdit = state.read()?;
        if !d.costs.is_sound() || d.starts == 0 || d.seconds.is_some_and(|s| !(s >= 0.0 && s.is_finite())) {
            return Err(ModelFault::Damaged("the dissimilarity's state is out of range".into()).into());
        }
        d.rates = d.costs.rates();
        Ok(d)
    }
}

/// The entry of graph edit distance in the catalog.
pub(crate) const ENTRY: Entry<LabelledGraph> = Entry {
    name: "ged",
    summary: "graph edit distance; settings: costs (letter, aids, grec, protein, schema), method (branch-fast, \
              bipartite, refine, ipfp, exact), normalize (true), starts (40), seed (0), steps, seconds, vertex.NAME and \
              edge.NAME (number, category, text, ignore)",
    make,
    restore,
};
