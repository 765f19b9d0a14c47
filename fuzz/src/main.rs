//! One target of `eocc-fuzz` under libFuzzer; `EOCC_FUZZ_TARGET` names it, or `EOCC_FUZZ_SEEDS` names a folder that the seeds
//! of all targets are written to.
#![no_main]

use std::sync::LazyLock;

use eocc_fuzz::{TARGETS, Target, corpus};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    if let Some(folder) = std::env::var_os("EOCC_FUZZ_SEEDS") {
        for target in TARGETS {
            let folder = std::path::Path::new(&folder).join(target.name);
            std::fs::create_dir_all(&folder).expect("the folder of seeds can be written");
            for (at, seed) in corpus(target).expect("the corpus can be read").iter().enumerate() {
                std::fs::write(folder.join(format!("seed-{at}")), seed).expect("a seed can be written");
            }
        }
        std::process::exit(0);
    }
    let name = std::env::var("EOCC_FUZZ_TARGET").unwrap_or_default();
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        panic!("EOCC_FUZZ_TARGET is `{name}`, but must be one of {}", names.join(", "))
    })
});

fuzz_target!(|data: &[u8]| {
    (TARGET.run)(data);
});
