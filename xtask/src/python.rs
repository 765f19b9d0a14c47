//! The Python package: an environment of its own, the wheel, and its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::{root, step};

/// What the tests need, by package name and version.
const REQUIREMENTS: &str = "bindings/python/requirements-test.txt";

/// Builds the wheel, installs it into a virtual environment under `target` and runs the tests.
pub(crate) fn test() -> Result<()> {
    let target = target()?;
    let folder = target.join("python");
    let python = environment(&folder)?;
    let python = text(&python)?;
    let program = target.join("debug").join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
    // As the Rust tests build it, since `build` would ask for other features: then it is there already.
    let build = ["test", "--workspace", "--test", "contract", "--no-run", "--quiet"];
    step("the program", "cargo", &build, &[])?;
    let wheels = folder.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).context("the old wheels cannot be removed")?;
    }
    // In the profile of the tests, which shares what they have compiled; `shared` sees to it.
    let mut build = words("-m maturin build --quiet --profile dev --features shared");
    build.extend(["--manifest-path", "bindings/python/Cargo.toml", "--out", text(&wheels)?]);
    step("the wheel", python, &build, &[("VIRTUAL_ENV", text(&folder)?)])?;
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", text(&wheel)?];
    step("its installation", python, &install, &[])?;
    let tests = words(
        "-m pytest -q --rootdir bindings/python -c bindings/python/pyproject.toml bindings/python/tests",
    );
    step("tests of the Python package", python, &tests, &[("EOCC_PROGRAM", text(&program)?)])
}

/// Where cargo builds.
fn target() -> Result<PathBuf> {
    let root = root()?;
    Ok(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder)))
}

/// The interpreter of the virtual environment, made anew if what it holds is not what is asked for.
fn environment(folder: &Path) -> Result<PathBuf> {
    let bin = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let (python, stamp) = (folder.join(bin), folder.join("requirements-test.txt"));
    let wanted = fs::read_to_string(root()?.join(REQUIREMENTS)).context(REQUIREMENTS)?;
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    let found = interpreter()?;
    step("an environment for Python", &found, &["-m", "venv", "--clear", text(folder)?], &[])?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
    step("what the tests of the Python package need", text(&python)?, &install, &[])?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    Ok(python)
}

/// An interpreter of Python that is new enough and can make environments.
pub(crate) fn interpreter() -> Result<String> {
    let mut tried: Vec<String> = std::env::var("PYTHON").into_iter().collect();
    tried.extend(
        ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"].map(String::from),
    );
    let check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let is_fit =
        |name: &&String| Command::new(name).args(["-c", check]).output().is_ok_and(|o| o.status.success());
    match tried.iter().find(is_fit) {
        Some(found) => Ok(found.clone()),
        None => bail!(
            "the tests of the Python package need Python 3.11 or later with the module venv, and none of {} is that; \
             install one (on Debian: python3 and python3-venv), or set PYTHON to its path",
            tried.join(", ")
        ),
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not a name in Unicode", path.display()))
}
