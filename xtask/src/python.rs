//! The Python package: its environment, its tests, and the wheel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::step::Steps;
use crate::{root, target};

/// The requirements of the tests, by package name and version; and the additional ones of the data engines.
const REQUIREMENTS: &str = "bindings/python/requirements-test.txt";
const ENGINES: &str = "bindings/python/requirements-engines.txt";

/// Runs the tests with the module and the program from the tests' build.
pub(crate) fn test(steps: &mut Steps, python: &Path) -> Result<()> {
    test_files(steps, python, &["bindings/python/tests"])
}

/// Runs only the tests of the data engines, and the guide.
pub(crate) fn test_engines(steps: &mut Steps, python: &Path) -> Result<()> {
    let file = |name: &str| format!("bindings/python/tests/test_{name}.py");
    let files = ["engines", "arrow", "distributed", "guide"].map(file);
    java();
    test_files(steps, python, &files.each_ref().map(String::as_str))
}

/// Spark runs on a JVM: tries to install Debian's if there is none. Without one, its tests are skipped with a
/// message.
fn java() {
    let answers = |program: &str, option: &str| Command::new(program).arg(option).output().is_ok();
    if !answers("java", "-version") && answers("apt-get", "--version") {
        eprintln!("== no Java: trying to install Debian's");
        let mut apt = Command::new("apt-get");
        apt.args(words("install --yes --quiet default-jre-headless"))
            .env("DEBIAN_FRONTEND", "noninteractive");
        let _ = apt.output();
    }
}

fn test_files(steps: &mut Steps, python: &Path, files: &[&str]) -> Result<()> {
    let debug = target()?.join("debug");
    let program = debug.join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
    let mut package = None;
    steps.check("the Python package", || {
        package = Some(assemble(&debug)?);
        Ok(())
    })?;
    let mut pytest = Command::new(python);
    pytest.args(words("-m pytest -q --rootdir bindings/python -c bindings/python/pyproject.toml"));
    pytest.args(files).env("EOCC_PROGRAM", program);
    steps.run("tests of the Python package", pytest.env("PYTHONPATH", package.unwrap_or_default()))
}

/// Lays out the package like an installed one, with the module that cargo built along with the tests. A wheel would
/// compile most of the workspace again.
pub(crate) fn assemble(built: &Path) -> Result<PathBuf> {
    let folder = folder()?.join("package");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("the old package cannot be removed")?;
    }
    let package = folder.join("eocc");
    copy_files(&root()?.join("bindings/python/python/eocc"), &package)?;
    let (library, module) = if cfg!(windows) {
        ("_eocc.dll", "_eocc.pyd")
    } else if cfg!(target_os = "macos") {
        ("lib_eocc.dylib", "_eocc.abi3.so")
    } else {
        ("lib_eocc.so", "_eocc.abi3.so")
    };
    fs::copy(built.join(library), package.join(module))
        .with_context(|| format!("{library} was not built"))?;
    let version = env!("CARGO_PKG_VERSION");
    let about = folder.join(format!("eocc-{version}.dist-info"));
    fs::create_dir_all(&about)?;
    fs::write(about.join("METADATA"), format!("Metadata-Version: 2.4\nName: eocc\nVersion: {version}\n"))?;
    Ok(folder)
}

/// Copies a folder recursively, without Python's compiled files.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), target)?;
        } else if entry.file_name() != "__pycache__" {
            copy_files(&entry.path(), &target)?;
        }
    }
    Ok(())
}

/// Builds the wheel in release mode, installs it into an empty environment and fits a model there.
pub(crate) fn wheel(steps: &mut Steps, python: &Path) -> Result<()> {
    const TRY: &str = "import eocc, numpy; x = numpy.random.default_rng(0).normal(size=(200, 4)); \
        m = eocc.EntropicOneClass().fit(x); assert (m.predict(x) == 1).mean() > .9; print('eocc', eocc.__version__)";
    let wheels = folder()?.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).context("the old wheels cannot be removed")?;
    }
    let mut maturin = Command::new(python);
    maturin
        .args(words("-m maturin build --release --quiet --manifest-path bindings/python/Cargo.toml --out"));
    steps.run("the wheel", maturin.arg(&wheels).env("VIRTUAL_ENV", folder()?))?;
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
    let empty = target()?.join("python-empty");
    steps.run("an empty environment", Command::new(python).args(words("-m venv --clear")).arg(&empty))?;
    let inside = interpreter_in(&empty);
    let mut pip = Command::new(&inside);
    steps.run(
        "its installation",
        pip.args(words("-m pip install --quiet --disable-pip-version-check")).arg(&wheel),
    )?;
    steps.run("a first model", Command::new(&inside).args(["-c", TRY]))
}

/// The interpreter of the environment in this folder.
fn interpreter_in(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// The folder of the environment.
fn folder() -> Result<PathBuf> {
    Ok(target()?.join("python"))
}

/// The interpreter of the test environment, which the given one creates if it is missing or out of date.
pub(crate) fn environment(interpreter: &str) -> Result<PathBuf> {
    environment_in(interpreter, &folder()?)
}

/// The same with all data engines that can be installed, one by one. The tests of the others are skipped.
pub(crate) fn engines_environment(interpreter: &str) -> Result<PathBuf> {
    let python = environment_in(interpreter, &target()?.join("python-engines"))?;
    let list = fs::read_to_string(root()?.join(ENGINES)).context(ENGINES)?;
    for engine in engines(&list) {
        // Does nothing, and asks no server, if it is there.
        if let Err(error) = quiet(pip_install(&python).arg(engine)) {
            let said = format!("{error:#}");
            let reason = said.lines().rev().find(|line| line.starts_with("ERROR")).unwrap_or(&said);
            eprintln!("== {engine} cannot be installed, so its tests are skipped: {reason}");
        }
    }
    Ok(python)
}

/// The engines of a list of requirements.
fn engines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn environment_in(interpreter: &str, folder: &Path) -> Result<PathBuf> {
    let (python, stamp) = (interpreter_in(folder), folder.join("requirements-test.txt"));
    let wanted = fs::read_to_string(root()?.join(REQUIREMENTS)).context(REQUIREMENTS)?;
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    quiet(Command::new(interpreter).args(words("-m venv --clear")).arg(folder))?;
    quiet(pip_install(&python).args(["-r", REQUIREMENTS]))?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    Ok(python)
}

fn pip_install(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(words("-m pip install --quiet --disable-pip-version-check"));
    pip
}

/// Runs a program, printing its output only if it fails.
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

/// A Python interpreter that is new enough and can create environments.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_the_lines_that_are_not_comments() {
        assert_eq!(
            engines("# Why.\n\npyspark==4\n ray[data]==2 \n").collect::<Vec<_>>(),
            ["pyspark==4", "ray[data]==2"]
        );
    }
}
