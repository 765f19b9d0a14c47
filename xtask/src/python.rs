//! The Python package: an environment of its own, the wheel, and its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::step::Steps;
use crate::{root, target, twice};

/// What the tests need, by package name and version.
const REQUIREMENTS: &str = "bindings/python/requirements-test.txt";

/// Builds the wheel, installs it into the environment of this interpreter and runs the tests.
pub(crate) fn test(steps: &mut Steps, python: &Path) -> Result<()> {
    let target = target()?;
    let program = target.join("debug").join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
    // As the Rust tests build it, since `build` would ask for other features: then it is there already.
    steps.cargo("the program", "test --workspace --all-features --test all --no-run --quiet")?;
    let wheels = folder()?.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).context("the old wheels cannot be removed")?;
    }
    // In the profile of the tests, which shares what they have compiled; `shared` sees to it.
    if let Ok(again) = twice::packages()
        && !again.is_empty()
    {
        eprintln!("   compiled a second time, for want of a line in bindings/python/Cargo.toml: {again:?}");
    }
    let mut maturin = Command::new(python);
    maturin.args(words("-m maturin build --quiet --profile dev --features")).arg(twice::WHEEL);
    maturin.args(words("--manifest-path bindings/python/Cargo.toml --out")).arg(&wheels);
    steps.run("the wheel", maturin.env("VIRTUAL_ENV", folder()?))?;
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
    let mut pip = Command::new(python);
    steps.run(
        "its installation",
        pip.args(words("-m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall"))
            .arg(&wheel),
    )?;
    let mut pytest = Command::new(python);
    pytest.args(words("-m pytest -q --rootdir bindings/python -c bindings/python/pyproject.toml"));
    steps.run("tests of the Python package", pytest.arg("bindings/python/tests").env("EOCC_PROGRAM", program))
}

/// Where the environment is.
fn folder() -> Result<PathBuf> {
    Ok(target()?.join("python"))
}

/// The interpreter of the virtual environment, made anew by the given one if what it holds is not what is asked for.
pub(crate) fn environment(interpreter: &str) -> Result<PathBuf> {
    let folder = folder()?;
    let bin = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let (python, stamp) = (folder.join(bin), folder.join("requirements-test.txt"));
    let wanted = fs::read_to_string(root()?.join(REQUIREMENTS)).context(REQUIREMENTS)?;
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    quiet(Command::new(interpreter).args(words("-m venv --clear")).arg(&folder))?;
    quiet(
        Command::new(&python)
            .args(words("-m pip install --quiet --disable-pip-version-check -r"))
            .arg(REQUIREMENTS),
    )?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    Ok(python)
}

/// Runs a program beside others, so that it speaks only if it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let done = command
        .current_dir(root()?)
        .output()
        .with_context(|| format!("{} could not be started", command.get_program().to_string_lossy()))?;
    if !done.status.success() {
        let said = [done.stdout, done.stderr].concat();
        bail!("the environment of the Python package cannot be made:\n{}", String::from_utf8_lossy(&said));
    }
    Ok(())
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

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ')
}
