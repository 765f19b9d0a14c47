//! The report in a real browser: its scripts on their own, then complete pages in Chromium.
//!
//! Missing tools are installed if possible; otherwise the tests are skipped with a message.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result};

use crate::step::Steps;
use crate::{root, target};

const SCRIPTS: &str = "crates/eocc-report/tests/scripts/data.test.cjs";
const TESTS: &str = "crates/eocc-report/tests/browser";

/// Requirements of the tests besides Node.js.
pub(crate) struct Tools {
    browser: PathBuf,
    packages: PathBuf,
}

/// Finds or installs the tools; `None`, with the reason printed, if that is not possible.
pub(crate) fn tools() -> Result<Option<Tools>> {
    if !answers("node", &["--version"]) {
        return Ok(None);
    }
    let (Some(browser), Some(packages)) = (browser(), packages()?) else { return Ok(None) };
    Ok(Some(Tools { browser, packages }))
}

/// Runs the tests on the results of the tests' build, or prints which missing tool caused them to be skipped.
pub(crate) fn test(steps: &mut Steps, tools: Option<Tools>) -> Result<()> {
    if !answers("node", &["--version"]) {
        eprintln!("== skipped: the tests of the report's scripts and in a browser; Node.js is missing");
        return Ok(());
    }
    steps.run("scripts of the report", Command::new("node").args(["--test", SCRIPTS]))?;
    let Some(Tools { browser, packages }) = tools else { return Ok(()) };
    let page = target()?.join("browser").join("hostile.html");
    let debug = target()?.join("debug");
    let built = |name: &str| debug.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    steps.run("a page of hostile data", Command::new(built("examples/hostile")).arg(&page))?;
    let mut node = Command::new("node");
    node.arg("--test").arg(format!("{TESTS}/report.test.cjs"));
    node.env("EOCC_PROGRAM", built("eocc")).env("EOCC_BROWSER", browser);
    node.env("EOCC_NODE_PACKAGES", packages).env("EOCC_HOSTILE", page);
    node.env("EOCC_PAYLOADS", payloads()?);
    steps.run("the report in a browser", &mut node)
}

/// Where the tests count the payloads in pages.
pub(crate) fn payloads() -> Result<PathBuf> {
    Ok(target()?.join("browser").join("payloads.json"))
}

/// Chromium, or Chrome, or the browser in `EOCC_BROWSER`; installed if it is missing and can be.
fn browser() -> Option<PathBuf> {
    let found = || {
        let named = env::var("EOCC_BROWSER").ok();
        let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        let mut names = named.into_iter().chain(known.map(String::from));
        names.find_map(|name| on_path(&name))
    };
    if let Some(path) = found() {
        return Some(path);
    }
    // Non-interactive, and fails immediately without permission.
    if answers("apt-get", &["--version"]) {
        eprintln!("== no browser: trying to install Debian's chromium");
        let mut apt = Command::new("apt-get");
        apt.args(["install", "--yes", "--quiet", "chromium"]).env("DEBIAN_FRONTEND", "noninteractive");
        let _ = apt.output();
    }
    let path = found();
    if path.is_none() {
        eprintln!(
            "== skipped: the report in a browser; Chromium is missing (set EOCC_BROWSER to use one elsewhere)"
        );
    }
    path
}

/// The folder with the packages that the tests need, installed below the target folder.
fn packages() -> Result<Option<PathBuf>> {
    let folder = target()?.join("browser");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let wanted = fs::read_to_string(root()?.join(TESTS).join("package.json"))?;
    let list = folder.join("package.json");
    let is_there =
        ["playwright-core", "axe-core"].iter().all(|p| folder.join("node_modules").join(p).is_dir());
    if is_there && fs::read_to_string(&list).is_ok_and(|found| found == wanted) {
        return Ok(Some(folder));
    }
    fs::write(&list, wanted)?;
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut install = Command::new(npm);
    install.args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]).arg(&folder);
    if install.current_dir(&folder).output().is_ok_and(|done| done.status.success()) {
        return Ok(Some(folder));
    }
    // So that the next run tries again.
    fs::remove_file(&list)?;
    eprintln!(
        "== skipped: the report in a browser; the packages in {TESTS}/package.json cannot be installed"
    );
    Ok(None)
}

fn answers(program: &str, words: &[&str]) -> bool {
    Command::new(program).args(words).output().is_ok_and(|done| done.status.success())
}

/// A program by its name on the search path, or by its own path.
fn on_path(name: &str) -> Option<PathBuf> {
    let given = Path::new(name);
    if given.is_absolute() {
        return given.is_file().then(|| given.to_owned());
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}
