//! A save that is killed half-way leaves either the old file or the new one, complete. `EOCC_KILLS=1000` kills that many.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{fit, normals};
use eocc_core::random::Random;
use eocc_core::{Model, OneClass, Preset, SearchKind, Vectors};

const FOLDER: &str = "EOCC_TEST_SAVES";

fn at(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

/// Not a test itself, and it ends immediately without the folder: it is the process killed by the test below. It
/// alternately saves two models to the same file, forever.
#[test]
fn saves_for_ever() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let load = |name: &str| Model::<Vectors>::load(&at(&folder, name)).unwrap();
    let models = [load("first"), load("second")];
    eprint!("ready");
    for model in models.iter().cycle() {
        model.save(&at(&folder, "model")).unwrap();
    }
}

#[test]
fn killed_saves_leave_a_whole_file() {
    let kills = std::env::var("EOCC_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let params = OneClass::new(Preset::Paper).search(SearchKind::None);
    let models = [fit(params.clone(), &normals(60, 3, 1)), fit(params, &normals(90, 3, 2))];
    let bytes = models.each_ref().map(|m| m.to_contents().unwrap().to_bytes());
    assert_ne!(bytes[0], bytes[1]);
    for name in ["first", "model"] {
        models[0].save(&at(folder, name)).unwrap();
    }
    models[1].save(&at(folder, "second")).unwrap();
    let mut random = Random::new(4);
    let (mut seen, mut left_over) = ([0, 0], 0);
    let started = Instant::now();
    for _ in 0..8 {
        models[0].save(&at(folder, "model")).unwrap();
    }
    let save = started.elapsed().as_secs_f64() / 8.0;
    // A save takes a millisecond on an idle disk and twenty on a busy one, where more kills may be needed to hit both
    // models and the middle of a save.
    for done in 0.. {
        let hit = seen.iter().all(|&count| count > 5) && left_over > 3;
        if done >= kills && (hit || done >= 4 * kills) {
            break;
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::saves_for_ever", "--nocapture"])
            .env(FOLDER, folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut word = [0; 5];
        child.stderr.take().unwrap().read_exact(&mut word).unwrap();
        assert_eq!(&word, b"ready");
        std::thread::sleep(Duration::from_secs_f64(6.0 * save * random.uniform()));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it saves until it is killed");
        let found = std::fs::read(at(folder, "model")).unwrap();
        let which = bytes.iter().position(|b| *b == found).expect("one of the two models, whole");
        seen[which] += 1;
        Model::<Vectors>::load(&at(folder, "model")).unwrap();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "part") {
                left_over += 1;
                std::fs::remove_file(path).unwrap();
            }
        }
    }
    eprintln!("first {}, second {}, killed while writing {left_over}", seen[0], seen[1]);
    assert!(seen[0] > 5 && seen[1] > 5, "both models were saved: {seen:?}");
    assert!(left_over > 3, "some saves were killed while writing: {left_over}");
}
