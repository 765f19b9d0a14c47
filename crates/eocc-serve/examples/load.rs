//! Sends requests to a server at a fixed rate and measures latency from when each request was due, like wrk2: a
//! server that stalls does not get fewer requests. With `--expect`, every response is compared with the expected one.
//!
//! ```text
//! load ADDRESS PATH BODIES [--rate R | --closed] [--seconds S] [--count N] [--connections C] [--type T] [--expect FILE]
//! ```
//!
//! `BODIES` has one body per line; they are sent in turn. `FILE` has the expected responses, one per line. Without a
//! rate, each connection sends its next request as soon as it has the response. Prints a single JSON object.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for measurements")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

struct Plan {
    address: String,
    requests: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    rate: Option<f64>,
    count: u64,
    end: Duration,
    next: AtomicU64,
    stop: AtomicBool,
}

#[derive(Default)]
struct Seen {
    /// Microseconds of each response with status 200.
    latencies: Vec<u32>,
    refused: u64,
    failed: u64,
    lost: u64,
    wrong: u64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| words.iter().position(|word| word == name).map(|at| words[at + 1].clone());
    let number = |name: &str, default: f64| option(name).map_or(default, |text| text.parse().unwrap());
    let [address, path, bodies] = [0, 1, 2].map(|at: usize| words[at].clone());
    let kind = option("--type").unwrap_or_else(|| "application/json".into());
    let lines = |file: &str| -> Vec<Vec<u8>> {
        let text = std::fs::read(file).unwrap();
        text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let request = |body: &Vec<u8>| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body].concat()
    };
    let seconds = number("--seconds", 10.0);
    let plan = Arc::new(Plan {
        requests: lines(&bodies).iter().map(request).collect(),
        expected: option("--expect").map(|file| lines(&file)).unwrap_or_default(),
        address,
        rate: option("--rate").map(|text| text.parse().unwrap()),
        count: number("--count", f64::INFINITY) as u64,
        end: Duration::from_secs_f64(seconds),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
    });
    let start = Instant::now();
    let connections = number("--connections", 32.0) as usize;
    let threads: Vec<_> = (0..connections)
        .map(|_| {
            let plan = Arc::clone(&plan);
            thread::Builder::new().stack_size(1 << 18).spawn(move || ask(&plan, start)).unwrap()
        })
        .collect();
    let mut all = Seen::default();
    for thread in threads {
        let seen = thread.join().unwrap();
        all.latencies.extend(seen.latencies);
        all.refused += seen.refused;
        all.failed += seen.failed;
        all.lost += seen.lost;
        all.wrong += seen.wrong;
    }
    let took = start.elapsed().as_secs_f64();
    all.latencies.sort_unstable();
    let at = |share: f64| match all.latencies.len() {
        0 => f64::NAN,
        count => f64::from(all.latencies[((count as f64 * share).ceil() as usize).clamp(1, count) - 1]) / 1e3,
    };
    println!(
        "{{\"rate\": {:?}, \"answers\": {}, \"per_second\": {:.1}, \"refused\": {}, \"failed\": {}, \"lost\": {}, \
         \"wrong\": {}, \"p50_ms\": {:.3}, \"p99_ms\": {:.3}, \"p999_ms\": {:.3}, \"max_ms\": {:.3}}}",
        plan.rate.unwrap_or(0.0),
        all.latencies.len(),
        all.latencies.len() as f64 / took,
        all.refused,
        all.failed,
        all.lost,
        all.wrong,
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
    );
}

/// Sends requests on one connection until the time or the count is reached.
fn ask(plan: &Plan, start: Instant) -> Seen {
    let mut seen = Seen::default();
    let mut connection: Option<BufReader<TcpStream>> = None;
    loop {
        let number = plan.next.fetch_add(1, Ordering::Relaxed);
        let due = match plan.rate {
            Some(rate) => Duration::from_secs_f64(number as f64 / rate),
            None => start.elapsed(),
        };
        if number >= plan.count || due >= plan.end || plan.stop.load(Ordering::Relaxed) {
            return seen;
        }
        thread::sleep(due.saturating_sub(start.elapsed()));
        let which = number as usize % plan.requests.len();
        let answered = match &mut connection {
            Some(open) => exchange(open, &plan.requests[which]),
            None => TcpStream::connect(&plan.address).and_then(|stream| {
                stream.set_nodelay(true)?;
                exchange(connection.insert(BufReader::new(stream)), &plan.requests[which])
            }),
        };
        match answered {
            Ok((200, body)) => {
                let took = start.elapsed().saturating_sub(due);
                seen.latencies.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
                if plan.expected.get(which).is_some_and(|expected| !is_same(expected, &body)) {
                    seen.wrong += 1;
                }
            }
            Ok((429 | 503, _)) => seen.refused += 1,
            Ok(_) => seen.failed += 1,
            Err(_) => {
                seen.lost += 1;
                connection = None;
            }
        }
    }
}

/// Whether the response is the expected one, or one of several alternatives separated by tabs.
fn is_same(expected: &[u8], body: &[u8]) -> bool {
    expected.split(|byte| *byte == b'\t').any(|one| one == body.trim_ascii_end())
}

fn exchange(connection: &mut BufReader<TcpStream>, request: &[u8]) -> std::io::Result<(u16, Vec<u8>)> {
    connection.get_mut().write_all(request)?;
    let (mut status, mut length, mut line) = (0, 0, String::new());
    loop {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        if let Some(rest) = text.strip_prefix("HTTP/1.1 ") {
            status = rest[..3].parse().unwrap_or(0);
        } else if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok((status, body))
}
