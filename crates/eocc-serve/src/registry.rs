//! The models of a server by name: which of them answer, in which version, and why others do not.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use eocc_core::{Error, Result};
use serde_json::{Value, json};

use crate::config::ModelSource;
use crate::fault::{Fault, StartError};
use crate::log::{Level, Log};
use crate::metrics::{Metrics, ModelMetrics, ModelState};
use crate::served::Served;

/// The extension of model files.
const EXTENSION: &str = "eocc";

/// All models.
pub(crate) struct Registry {
    entries: RwLock<BTreeMap<String, Arc<Entry>>>,
    /// Folders whose model files are all served, including those added later.
    folders: Vec<PathBuf>,
    metrics: Arc<Metrics>,
    log: Log,
}

/// A model that is, was, or should be served.
struct Entry {
    name: String,
    path: PathBuf,
    state: RwLock<State>,
    /// Held while the file is loaded, so that a slow load cannot overwrite a later one.
    loading: Mutex<()>,
    metrics: Arc<ModelMetrics>,
}

#[derive(Default)]
struct State {
    served: Option<Arc<Served>>,
    /// Whether it was unloaded, until it is requested again.
    is_unloaded: bool,
    /// The file that was last loaded or refused.
    seen: Option<Stamp>,
    /// Why that file was refused.
    refused: Option<String>,
}

/// Identifies a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    /// The inode of the file; a replacement has a different one.
    inode: u64,
}

impl Stamp {
    fn read(path: &Path) -> std::io::Result<Self> {
        let metadata = fs::metadata(path)?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Ok(Self { modified: metadata.modified().ok(), length: metadata.len(), inode })
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Loads all models. A file given by name must be a model; in a folder, other files are reported and skipped.
    pub(crate) fn load(
        sources: &[ModelSource],
        metrics: Arc<Metrics>,
        log: Log,
    ) -> std::result::Result<Self, StartError> {
        let mut folders = Vec::new();
        let mut entries: BTreeMap<String, Arc<Entry>> = BTreeMap::new();
        for source in sources {
            if source.path.is_dir() {
                folders.push(source.path.clone());
                continue;
            }
            let name = match &source.name {
                Some(name) => name.clone(),
                None => name_of(&source.path),
            };
            check_name(&name)?;
            let entry = Entry::new(&name, &source.path, metrics.model(&name));
            if let Some(other) = entries.insert(name.clone(), Arc::new(entry)) {
                let allowed = format!(
                    "unlike that of {}; write NAME=FILE to give one another name",
                    other.path.display()
                );
                return Err(Error::parameter("model name", format!("`{name}`"), allowed).into());
            }
        }
        let registry = Self { entries: RwLock::new(entries), folders, metrics, log };
        for entry in registry.all() {
            registry.load_entry(&entry).map_err(|error| StartError::of_file(&entry.path, error))?;
        }
        registry.look_into_folders();
        registry.all().iter().filter(|entry| read(&entry.state).seen.is_none()).for_each(|entry| {
            let _ = registry.load_entry(entry);
        });
        Ok(registry)
    }

    fn all(&self) -> Vec<Arc<Entry>> {
        read(&self.entries).values().cloned().collect()
    }

    /// The name of the model, if there is only one.
    pub(crate) fn only_name(&self) -> Option<String> {
        let entries = read(&self.entries);
        entries.keys().next().filter(|_| entries.len() == 1).cloned()
    }

    fn entry(&self, name: &str) -> std::result::Result<Arc<Entry>, Fault> {
        read(&self.entries).get(name).cloned().ok_or_else(|| {
            let names: Vec<String> =
                read(&self.entries).keys().take(20).map(|name| format!("`{name}`")).collect();
            Fault::unknown(format!("there is no model `{name}`; the models are {}", names.join(", ")))
        })
    }

    /// The model with this name, if it is available.
    pub(crate) fn served(&self, name: &str) -> std::result::Result<Arc<Served>, Fault> {
        let entry = self.entry(name)?;
        let state = read(&entry.state);
        state.served.clone().ok_or_else(|| {
            let reason = state.reason().unwrap_or_else(|| "it is being loaded".to_owned());
            Fault::unavailable("model", format!("the model `{name}` does not answer: {reason}"))
        })
    }

    /// Whether all models that should be available are.
    pub(crate) fn is_ready(&self) -> bool {
        self.all().iter().all(|entry| {
            let state = read(&entry.state);
            state.served.is_some() || state.is_unloaded
        })
    }

    /// The index of the protocol.
    pub(crate) fn index(&self) -> Value {
        let row = |entry: &Arc<Entry>| {
            let state = read(&entry.state);
            json!({
                "name": entry.name,
                "version": state.served.as_ref().map(|served| &served.version),
                "state": if state.served.is_some() { "READY" } else { "UNAVAILABLE" },
                "reason": state.reason().unwrap_or_default(),
            })
        };
        self.all().iter().map(row).collect()
    }

    pub(crate) fn states(&self) -> Vec<ModelState> {
        let state = |entry: &Arc<Entry>| {
            let state = read(&entry.state);
            let version = state.served.as_ref().map(|served| served.version.clone());
            ModelState { name: entry.name.clone(), version, is_refused: state.refused.is_some() }
        };
        self.all().iter().map(state).collect()
    }

    /// Reloads a model, whether or not its file has changed.
    pub(crate) fn load_again(&self, name: &str) -> std::result::Result<(), Fault> {
        let entry = self.entry(name)?;
        write(&entry.state).is_unloaded = false;
        self.load_entry(&entry).map_err(|error| {
            let kept =
                if read(&entry.state).served.is_some() { "; the version before still answers" } else { "" };
            Fault::model_file(format!("{}: {error}{kept}", entry.path.display()))
        })
    }

    /// Unloads a model. Earlier requests are still answered.
    pub(crate) fn unload(&self, name: &str) -> std::result::Result<(), Fault> {
        let entry = self.entry(name)?;
        let mut state = write(&entry.state);
        (state.served, state.is_unloaded) = (None, true);
        drop(state);
        self.log.write(Level::Info, "model_unloaded", json!({ "model": name }));
        Ok(())
    }

    /// Loads every file that has changed since it was last seen.
    pub(crate) fn refresh(&self) {
        self.look_into_folders();
        for entry in self.all() {
            let (seen, is_unloaded) = {
                let state = read(&entry.state);
                (state.seen, state.is_unloaded)
            };
            match Stamp::read(&entry.path) {
                Ok(stamp) if !is_unloaded && seen != Some(stamp) => {
                    let _ = self.load_entry(&entry);
                }
                Err(error) if !is_unloaded && read(&entry.state).refused.is_none() => {
                    let _ = self.refuse(&entry, Error::io(&entry.path, error));
                    write(&entry.state).seen = None;
                }
                _ => {}
            }
        }
    }

    /// Adds new models from folders.
    fn look_into_folders(&self) {
        for folder in &self.folders {
            let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
            let mut files: Vec<PathBuf> =
                files.filter(|path| path.extension().is_some_and(|own| own == EXTENSION)).collect();
            files.sort();
            for path in files {
                let name = name_of(&path);
                if check_name(&name).is_ok() && !read(&self.entries).contains_key(&name) {
                    let entry = Arc::new(Entry::new(&name, &path, self.metrics.model(&name)));
                    write(&self.entries).insert(name, entry);
                }
            }
        }
    }

    /// Loads the file of a model. The previous version answers until the new one is ready, and stays if that is
    /// refused.
    fn load_entry(&self, entry: &Entry) -> Result<()> {
        let _turn = entry.loading.lock().unwrap_or_else(PoisonError::into_inner);
        // Before the file is opened: if it is replaced meanwhile, that is noticed the next time.
        let stamp = match Stamp::read(&entry.path) {
            Ok(stamp) => stamp,
            Err(error) => return self.refuse(entry, Error::io(&entry.path, error)),
        };
        let loaded = Served::load(&entry.name, &entry.path, Arc::clone(&entry.metrics));
        write(&entry.state).seen = Some(stamp);
        let served = match loaded {
            Ok(served) => Arc::new(served),
            Err(error) => return self.refuse(entry, error),
        };
        let mut state = write(&entry.state);
        state.refused = None;
        let before = state.served.as_ref().map(|served| served.version.clone());
        let is_other = before.as_ref() != Some(&served.version);
        let version = served.version.clone();
        if is_other && !state.is_unloaded {
            state.served = Some(served);
        }
        drop(state);
        if is_other {
            entry.metrics.loads.fetch_add(1, Ordering::Relaxed);
            let fields = json!({ "model": entry.name, "version": version, "before": before });
            self.log.write(Level::Info, "model_loaded", fields);
        }
        Ok(())
    }

    fn refuse(&self, entry: &Entry, error: Error) -> Result<()> {
        entry.metrics.refused_loads.fetch_add(1, Ordering::Relaxed);
        let version = {
            let mut state = write(&entry.state);
            state.refused = Some(error.to_string());
            state.served.as_ref().map(|served| served.version.clone())
        };
        let file = entry.path.display().to_string();
        let fields = json!({ "model": entry.name, "file": file, "error": error.to_string(), "still_answers": version });
        self.log.write(Level::Error, "model_refused", fields);
        Err(error)
    }
}

impl State {
    /// Why no model answers, or not the one in the file.
    fn reason(&self) -> Option<String> {
        match (&self.refused, &self.served) {
            _ if self.is_unloaded => Some("it was unloaded".to_owned()),
            (Some(refused), Some(_)) => {
                Some(format!("the version before still answers, since the file is refused: {refused}"))
            }
            (Some(refused), None) => Some(format!("its file is refused: {refused}")),
            (None, _) => None,
        }
    }
}

impl Entry {
    fn new(name: &str, path: &Path, metrics: Arc<ModelMetrics>) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            state: RwLock::default(),
            loading: Mutex::default(),
            metrics,
        }
    }
}

/// The name of a model, from that of its file.
fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// A name is part of addresses, and must not need escaping.
fn check_name(name: &str) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    if !name.is_empty() && name != "." && name != ".." && name.chars().all(is_plain) {
        return Ok(());
    }
    let allowed =
        "letters, digits, `-`, `_`, `.` and `~`, as in an address; write NAME=FILE to give it another name";
    Err(Error::parameter("model name", format!("`{name}`"), allowed))
}
