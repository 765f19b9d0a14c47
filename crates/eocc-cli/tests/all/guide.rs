//! The guide to the program works: every command in `docs/guide/program` prints what its page says.
//!
//! A block `console` contains commands, which start with `$ ` and continue in lines that start with `> `, followed by
//! their output on standard output and standard error. There, a line `...` stands for any number of lines, and `...`
//! within a line for any text. A command may fail only if the page shows its `error:`. A block with `title="NAME"` is
//! a file. The blocks of a page share a folder; pages share nothing. With `EOCC_BLESS=1`, pages are rewritten with
//! the actual output: review the diff before you commit it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One test per page, so that pages run in parallel and a failure names its page.
macro_rules! pages {
    ($($test:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                follow($page);
            }
        )*
    };
}

pages! {
    aging_sensor: "aging-sensor.md",
    contaminated_data: "contaminated-data.md",
    drifting_metric: "drifting-metric.md",
    false_alarm_rate: "false-alarm-rate.md",
    from_dd_tools: "from-dd-tools.md",
    from_pyod: "from-pyod.md",
    from_scikit_learn: "from-scikit-learn.md",
    graphs: "graphs.md",
    log_messages: "log-messages.md",
    matrices: "matrices.md",
    proteins: "proteins.md",
    records: "records.md",
    report: "report.md",
    score_and_p_value: "score-and-p-value.md",
    serving: "serving.md",
    strings: "strings.md",
    tables: "tables.md",
    ten_minutes: "ten-minutes.md",
    time_series: "time-series.md",
}

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/program")
}

/// A fenced block of a page.
struct Block<'a> {
    /// The text after the opening fence.
    info: &'a str,
    /// Number in the page, from 1, of the first line inside.
    first: usize,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    fn title(&self) -> Option<&str> {
        let (_, rest) = self.info.split_once("title=\"")?;
        rest.split_once('"').map(|(title, _)| title)
    }
}

/// A command and its expected output.
struct Step<'a> {
    line: usize,
    command: String,
    expected: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            found.push(Block { info, first: at + 2, lines: inside.collect() });
        }
    }
    found
}

fn steps<'a>(page: &str, block: &Block<'a>) -> Vec<Step<'a>> {
    let mut steps: Vec<Step<'a>> = Vec::new();
    for (at, &line) in block.lines.iter().enumerate() {
        let number = block.first + at;
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { line: number, command: command.to_owned(), expected: Vec::new() });
            continue;
        }
        let step = steps.last_mut().unwrap_or_else(|| panic!("{page}:{number}: output before any command"));
        match line.strip_prefix("> ") {
            Some(more) if step.expected.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            _ => step.expected.push(line),
        }
    }
    steps
}

/// Without trailing blanks and trailing blank lines, which a page may omit.
fn trimmed<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut lines: Vec<&str> = lines.into_iter().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether a line is as expected, with `...` for any text.
fn is_like(expected: &str, line: &str) -> bool {
    let Some((start, mut expected)) = expected.split_once("...") else { return expected == line };
    let Some(mut rest) = line.strip_prefix(start) else { return false };
    // The first match leaves most for the rest.
    while let Some((middle, next)) = expected.split_once("...") {
        let Some(at) = rest.find(middle) else { return false };
        rest = &rest[at + middle.len()..];
        expected = next;
    }
    rest.ends_with(expected)
}

/// Whether lines are as expected, with a line `...` for any number of them.
fn are_like(expected: &[&str], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((&"...", others)) => (0..=lines.len()).any(|skipped| are_like(others, &lines[skipped..])),
        Some((first, others)) => lines
            .split_first()
            .is_some_and(|(line, following)| is_like(first, line) && are_like(others, following)),
    }
}

/// The search path with the folder of the program first.
fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_eocc")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program).chain(std::env::split_paths(&others));
    std::env::join_paths(folders).unwrap()
}

fn has_shell() -> bool {
    let tried = Command::new("sh").args(["-c", "awk 'BEGIN { exit 0 }'"]).stdin(Stdio::null()).output();
    tried.is_ok_and(|done| done.status.success())
}

/// An error of a command: in words, and the correct text of the page.
struct Fault {
    words: String,
    printed: Vec<String>,
}

/// A line with long numbers cut to the digits shown on a page.
fn elided(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(dot) = rest.find('.') {
        let (before, after) = rest.split_at(dot + 1);
        out.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let shown = if after[digits..].starts_with('e') { 3 } else { 4 };
        let is_long = digits > shown && before.as_bytes().iter().rev().nth(1).is_some_and(u8::is_ascii_digit);
        if is_long {
            out.push_str(&after[..shown]);
            out.push_str("...");
        } else {
            out.push_str(&after[..digits]);
        }
        rest = &after[digits..];
    }
    out + rest
}

/// The correct text of a page: the output, with the gaps it had, and unchanged lines where they still match.
fn blessed(expected: &[&str], printed: &[&str]) -> Vec<String> {
    let line = |(old, new): (&&str, &&str)| if is_like(old, new) { (*old).to_owned() } else { elided(new) };
    if let Some(gap) = expected.iter().position(|line| *line == "...") {
        let after = expected.len() - gap - 1;
        let (first, last) = (&printed[..gap], &printed[printed.len().saturating_sub(after)..]);
        let mut lines: Vec<String> = expected[..gap].iter().zip(first).map(line).collect();
        lines.push("...".to_owned());
        lines.extend(expected[gap + 1..].iter().zip(last).map(line));
        return lines;
    }
    let known = expected.iter().zip(printed).map(line);
    known.chain(printed.iter().skip(expected.len()).map(|new| elided(new))).collect()
}

/// Runs a command; returns the error, if any.
fn fault(step: &Step<'_>, folder: &Path) -> Option<Fault> {
    let done = Command::new("sh")
        .arg("-c")
        .arg(format!("exec 2>&1\n{}", step.command))
        .current_dir(folder)
        .env("PATH", path())
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    let printed = trimmed(text.lines());
    let expected = trimmed(step.expected.iter().copied());
    let may_fail = expected.iter().any(|line| line.starts_with("error:"));
    let what = if !may_fail && !done.status.success() {
        format!("ends with {}", done.status)
    } else if are_like(&expected, &printed) {
        return None;
    } else {
        "prints something else".to_owned()
    };
    let words = format!(
        "{what}: {}\n--- the page has\n{}\n--- it prints\n{}\n",
        step.command,
        expected.join("\n"),
        printed.join("\n"),
    );
    Some(Fault { words, printed: blessed(&expected, &printed) })
}

/// The server started by a page: on its own port, since pages run in parallel.
struct ServerOfPage {
    port: Option<u16>,
}

impl ServerOfPage {
    /// The server of a page, if it has one and it can be started here.
    fn new(text: &str) -> Option<Self> {
        if !text.contains(USUAL_START) {
            return Some(Self { port: None });
        }
        let has_curl = Command::new("curl").arg("--version").output().is_ok_and(|done| done.status.success());
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr());
        let port = free.ok().filter(|_| has_curl && cfg!(feature = "serve"))?.port();
        Some(Self { port: Some(port) })
    }

    /// The commands of the page and their replacements.
    fn pairs(&self) -> Vec<(String, String)> {
        let Some(port) = self.port else { return Vec::new() };
        let start = (USUAL_START.to_owned(), format!("{USUAL_START} --listen 127.0.0.1:{port}"));
        vec![start, ("localhost:8080".to_owned(), format!("localhost:{port}"))]
    }

    fn with_own_port(&self, text: &str) -> String {
        self.pairs().iter().fold(text.to_owned(), |text, (usual, own)| text.replace(usual, own))
    }

    fn with_usual_port(&self, text: &str) -> String {
        self.pairs().iter().fold(text.to_owned(), |text, (usual, own)| text.replace(own, usual))
    }
}

/// How the page starts it.
const USUAL_START: &str = "$ eocc serve good.eocc";

/// Stops the server of a page that failed before stopping it.
struct StopServer(PathBuf);

impl Drop for StopServer {
    fn drop(&mut self) {
        if let Ok(number) = fs::read_to_string(&self.0) {
            let _ = Command::new("kill").arg(number.trim()).stderr(Stdio::null()).status();
        }
    }
}

/// Runs a page from top to bottom in its own folder.
fn follow(page: &str) {
    if !has_shell() {
        println!("skipped: there is no sh with awk to run {page} with");
        return;
    }
    let text = fs::read_to_string(guide().join(page)).unwrap();
    let Some(server) = ServerOfPage::new(&text) else {
        println!("skipped: there is no curl, or no server in this build, to run {page} with");
        return;
    };
    let text = server.with_own_port(&text);
    let mut lines: Vec<Vec<String>> = text.lines().map(|line| vec![line.to_owned()]).collect();
    let folder = tempfile::tempdir().unwrap();
    let _stop = StopServer(folder.path().join("serve.pid"));
    let mut commands = 0;
    let mut faults = Vec::new();
    for block in blocks(&text) {
        if let Some(title) = block.title() {
            fs::write(folder.path().join(title), block.lines.join("\n") + "\n").unwrap();
        } else if block.info == "console" {
            for step in steps(page, &block) {
                commands += 1;
                let Some(fault) = fault(&step, folder.path()) else { continue };
                faults.push(format!("{page}:{}: {}", step.line, fault.words));
                // The output replaces the lines below the command.
                let below = step.line - 1 + step.command.lines().count();
                lines[below - 1].extend(fault.printed);
                lines[below..below + step.expected.len()].iter_mut().for_each(Vec::clear);
            }
        }
    }
    if !faults.is_empty() && std::env::var_os("EOCC_BLESS").is_some_and(|value| value == "1") {
        let text = server.with_usual_port(&(lines.concat().join("\n") + "\n"));
        fs::write(guide().join(page), text).unwrap();
        return;
    }
    assert!(commands > 0, "{page} has no commands");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn readme() {
    follow("../../../README.md");
}

#[test]
fn every_page_is_run_and_listed() {
    let index = fs::read_to_string(guide().join("README.md")).unwrap();
    let mut found: Vec<String> = fs::read_dir(guide())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    found.sort();
    assert_eq!(found, PAGES, "the pages in the folder and the tests");
    for page in PAGES {
        assert!(index.contains(&format!("({page})")), "README.md does not list {page}");
    }
}

#[test]
fn links_lead_somewhere() {
    for page in PAGES.iter().chain(&["README.md"]) {
        let text = fs::read_to_string(guide().join(page)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(link.contains("://") || guide().join(file).exists(), "{page} links to {link}");
        }
    }
}

#[test]
fn pages_can_be_blessed() {
    assert_eq!(elided("a,-0.123456789,b 1.25 x.123456"), "a,-0.1234...,b 1.25 x.123456");
    assert_eq!(elided("4.0823456e-49, 0.5"), "4.082...e-49, 0.5");
    assert_eq!(blessed(&["a 1.2...", "b"], &["a 1.25", "c 0.123456"]), ["a 1.2...", "c 0.1234..."]);
    assert_eq!(blessed(&["a", "...", "z"], &["b", "c", "d", "y"]), ["b", "...", "y"]);
}

#[test]
fn expected_output_may_have_gaps() {
    assert!(is_like("a,-1.25...,b", "a,-1.2537,b"));
    assert!(is_like("...", ""));
    assert!(!is_like("a,-1.25...,b", "a,-1.2637,b"));
    assert!(!is_like("ab...b", "ab"));
    assert!(are_like(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(are_like(&["a", "..."], &["a"]));
    assert!(!are_like(&["a"], &["a", "b"]));
    assert!(!are_like(&["a", "b"], &["a"]));
}
