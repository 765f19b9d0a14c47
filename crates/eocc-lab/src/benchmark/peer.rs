//! A classifier of scikit-learn or PyOD, run by a Python process that is reused for the next fit.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use eocc_baselines::{Classifier, Scorer, Tests, Training};
use eocc_core::{Error, Matrix, Observer, Result};
use serde_json::{Value, json};

const SCRIPT: &str = include_str!("peers.py");

/// The interpreter, and the idle processes. Methods are made by plain functions, so this cannot be passed to them.
static POOL: OnceLock<Pool> = OnceLock::new();

struct Pool {
    python: PathBuf,
    idle: Mutex<Vec<Process>>,
}

/// Selects the interpreter; returns the versions of its libraries, by name.
pub(super) fn start(python: &Path) -> Result<Vec<(String, Option<String>)>> {
    let pool = POOL.get_or_init(|| Pool { python: python.to_owned(), idle: Mutex::default() });
    let process = Process::start(&pool.python)?;
    let versions = process.versions.clone();
    pool.give_back(process);
    Ok(versions)
}

impl Pool {
    fn take(&self) -> Result<Process> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| Process::start(&self.python), Ok)
    }

    fn give_back(&self, process: Process) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
    }
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    versions: Vec<(String, Option<String>)>,
}

impl Process {
    fn start(python: &Path) -> Result<Self> {
        let failed = |what: &str| {
            let python = python.display();
            Error::input(format!(
                "{python}: {what}; name an interpreter with numpy, scikit-learn and pyod with --python"
            ))
        };
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            // The rows of the table run in parallel, each on one thread.
            .envs([("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1"), ("PYTHONWARNINGS", "ignore")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| failed(&e.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes"));
        };
        let mut process = Self { child, input, output: BufReader::new(output), versions: Vec::new() };
        let found = process.line().map_err(|e| failed(&e.to_string()))?;
        let version =
            |(name, version): (&String, &Value)| (name.clone(), version.as_str().map(str::to_owned));
        process.versions = found.as_object().into_iter().flatten().map(version).collect();
        Ok(process)
    }

    fn line(&mut self) -> std::io::Result<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    /// The scores of the test rows, or why there are none.
    fn scores(
        &mut self,
        name: &str,
        seed: u64,
        train: &Matrix,
        test: &Matrix,
    ) -> std::io::Result<Result<Vec<f64>>> {
        let ask = json!({
            "name": name, "seed": seed % (1 << 31), "train": train.rows(), "test": test.rows(), "columns": train.columns(),
        });
        writeln!(self.input, "{ask}")?;
        for rows in [train, test] {
            let bytes: Vec<u8> =
                (0..rows.rows()).flat_map(|i| rows.row(i)).flat_map(|x| x.to_le_bytes()).collect();
            self.input.write_all(&bytes)?;
        }
        self.input.flush()?;
        if let Some(fault) = self.line()?["error"].as_str() {
            return Ok(Err(Error::input(fault.to_owned())));
        }
        let mut bytes = vec![0; 8 * test.rows()];
        self.output.read_exact(&mut bytes)?;
        let numbers = bytes.as_chunks::<8>().0;
        Ok(Ok(numbers.iter().map(|number| f64::from_le_bytes(*number)).collect()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A classifier by its name in `peers.py`.
pub(super) struct Peer(pub(super) &'static str);

impl Classifier for Peer {
    fn fit(&self, training: &Training, _: &dyn Observer) -> Result<Box<dyn Scorer>> {
        let rows = training.vectors()?.matrix().clone();
        Ok(Box::new(Fitted { name: self.0, seed: training.seed(), rows }))
    }
}

/// Scikit-learn fits when the test rows arrive: only scores are requested.
struct Fitted {
    name: &'static str,
    seed: u64,
    rows: Matrix,
}

impl Scorer for Fitted {
    fn scores(&self, tests: &Tests, _: &dyn Observer) -> Result<Vec<f64>> {
        let Some(pool) = POOL.get() else { return Err(Error::input("no Python was chosen")) };
        let mut process = pool.take()?;
        let found = process.scores(self.name, self.seed, &self.rows, tests.vectors()?.matrix());
        let scores = found.map_err(|e| Error::input(format!("the Python process of {}: {e}", self.name)))?;
        pool.give_back(process);
        scores
    }
}
