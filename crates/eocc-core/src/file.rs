//! The container of a model file: safetensors with versioned metadata and a checksum. It contains no executable code.
//!
//! ```text
//! 8 bytes   length of the header, little endian
//! header    JSON: "__metadata__" { "eocc.format", "eocc.model", "eocc.sha256" }, then name -> dtype, shape, offsets
//! data      the tensors, in the order of the header
//! ```
//!
//! The checksum is over the model's JSON text and every tensor with its name, type and shape. Any reader of
//! safetensors can read the file; the same model gives the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::atomic::atomic_write;
use crate::error::{Error, ModelFault, Remedy, Result};
use crate::memory;

/// The format version that is written and read.
pub const FORMAT: u64 = 2;
/// Maximum length of a header.
const MAX_HEADER: u64 = 100_000_000;
/// Maximum number of tensors. A table has one per column, a set of graphs one per attribute; everything else has few.
pub(crate) const MAX_TENSORS: usize = 1 << 17;

/// The contents of a model file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contents {
    /// Everything that is not a tensor, as JSON.
    pub meta: Value,
    tensors: BTreeMap<String, Tensor>,
}

#[derive(Debug, Clone)]
struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    /// Bytes that may hold other tensors as well, and the range of this one.
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Tensor {
    fn bytes(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        (self.dtype, &self.shape, self.bytes()) == (other.dtype, &other.shape, other.bytes())
    }
}

impl Contents {
    /// Adds numbers of this shape.
    pub fn put_f64(&mut self, name: &str, shape: &[usize], values: &[f64]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.put(name, Dtype::F64, shape, bytes);
    }

    /// Adds indices of this shape.
    pub fn put_u32(&mut self, name: &str, shape: &[usize], values: &[u32]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.put(name, Dtype::U32, shape, bytes);
    }

    /// Adds bytes.
    pub fn put_u8(&mut self, name: &str, values: &[u8]) {
        self.put(name, Dtype::U8, &[values.len()], values.to_vec());
    }

    fn put(&mut self, name: &str, dtype: Dtype, shape: &[usize], bytes: Vec<u8>) {
        let range = 0..bytes.len();
        let tensor = Tensor { dtype, shape: shape.to_vec(), whole: Arc::new(bytes), range };
        self.tensors.insert(name.to_owned(), tensor);
    }

    /// Whether there is a tensor `name`.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    fn get(&self, name: &str, dtype: Dtype) -> Result<&Tensor> {
        let tensor = self.tensors.get(name).ok_or_else(|| damaged(format!("tensor `{name}` is missing")))?;
        if tensor.dtype == dtype {
            Ok(tensor)
        } else {
            Err(damaged(format!("tensor `{name}` has another type")))
        }
    }

    /// The numbers of tensor `name`, with their shape.
    pub fn f64s(&self, name: &str) -> Result<(Vec<f64>, &[usize])> {
        let t = self.get(name, Dtype::F64)?;
        Ok((t.bytes().as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(), &t.shape))
    }

    /// The indices of tensor `name`, with their shape.
    pub fn u32s(&self, name: &str) -> Result<(Vec<u32>, &[usize])> {
        let t = self.get(name, Dtype::U32)?;
        Ok((t.bytes().as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect(), &t.shape))
    }

    /// The bytes of tensor `name`.
    pub fn u8s(&self, name: &str) -> Result<&[u8]> {
        Ok(self.get(name, Dtype::U8)?.bytes())
    }

    /// A matrix of finite numbers.
    pub fn matrix(&self, name: &str) -> Result<crate::Matrix> {
        let (values, shape) = self.f64s(name)?;
        let &[rows, columns] = shape else {
            return Err(damaged(format!("tensor `{name}` is not a matrix")));
        };
        if values.iter().any(|v| !v.is_finite()) {
            return Err(damaged(format!("tensor `{name}` holds a number that is not finite")));
        }
        Ok(crate::Matrix::new(values, rows, columns))
    }

    /// The SHA-256 of the contents in hexadecimal, stored in the file as `eocc.sha256`. It identifies the model.
    pub fn digest(&self) -> String {
        self.checksum(&self.meta.to_string())
    }

    fn checksum(&self, model: &str) -> String {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            // With lengths, so that different contents never give the same byte stream.
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(&FORMAT.to_le_bytes());
        part(model.as_bytes());
        for (name, t) in &self.tensors {
            part(name.as_bytes());
            part(t.dtype.to_string().as_bytes());
            for d in &t.shape {
                part(&(*d as u64).to_le_bytes());
            }
            part(t.bytes());
        }
        hash.finalize().iter().fold(String::new(), |mut text, b| {
            let _ = write!(text, "{b:02x}");
            text
        })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.start();
        for t in self.tensors.values() {
            bytes.extend_from_slice(t.bytes());
        }
        bytes
    }

    /// The bytes before the tensors: the length of the header, and the header.
    fn start(&self) -> Vec<u8> {
        let model = self.meta.to_string();
        let mut header = serde_json::Map::new();
        header.insert(
            "__metadata__".into(),
            json!({
                "eocc.format": FORMAT.to_string(),
                "eocc.model": model,
                "eocc.sha256": self.checksum(&model),
            }),
        );
        let mut end = 0;
        for (name, t) in &self.tensors {
            let start = end;
            end += t.bytes().len();
            header.insert(
                name.clone(),
                json!({ "dtype": t.dtype.to_string(), "shape": t.shape, "data_offsets": [start, end] }),
            );
        }
        let mut text = Value::Object(header).to_string().into_bytes();
        // The data starts at a multiple of 8.
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&text);
        bytes
    }

    /// Reads the bytes of a file; everything is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_whole(bytes.to_vec())
    }

    /// Like `from_bytes`, without copying the tensors.
    fn from_whole(bytes: Vec<u8>) -> Result<Self> {
        let unchecked = Unchecked::from_whole(bytes)?;
        unchecked.check()?;
        Ok(unchecked.contents)
    }

    /// Writes the file atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        let start = self.start();
        // Refuse to write what could not be read again.
        let header = (start.len() - 8) as u64;
        if header > MAX_HEADER {
            let text = format!(
                "the names and settings of the model would take {header} bytes, but at most {MAX_HEADER} are read again; \
                 use fewer columns, or shorter names"
            );
            return Err(ModelFault::Unsupported(text).into());
        }
        if self.tensors.len() > MAX_TENSORS {
            let text = format!(
                "the model would have {} parts, but at most {MAX_TENSORS} can be read back; use fewer columns or attributes",
                self.tensors.len()
            );
            return Err(ModelFault::Unsupported(text).into());
        }
        let write = |w: &mut dyn std::io::Write| {
            w.write_all(&start)?;
            // One by one: a large model does not fit in memory twice.
            self.tensors.values().try_for_each(|t| w.write_all(t.bytes()))
        };
        atomic_write(path, |w| write(w)).map_err(|e| Error::io(path, e))
    }

    /// Reads the file.
    pub fn load(path: &Path) -> Result<Self> {
        let unchecked = Unchecked::load(path)?;
        unchecked.check()?;
        Ok(unchecked.contents)
    }

    /// Reads the file and builds something from its contents while the checksum is computed; the result is returned
    /// only if the checksum is right.
    pub(crate) fn load_as<T: Send>(path: &Path, make: impl FnOnce(&Self) -> Result<T> + Send) -> Result<T> {
        let unchecked = Unchecked::load(path)?;
        let (checked, made) = crate::parallel::join(|| unchecked.check(), || make(&unchecked.contents));
        checked.and(made)
    }
}

/// The contents of a file before its checksum was verified.
struct Unchecked {
    contents: Contents,
    /// The text of the description, and the checksum stated in the file.
    model: String,
    checksum: String,
}

impl Unchecked {
    fn load(path: &Path) -> Result<Self> {
        let fail = |source| Error::io(path, source);
        let mut file = std::fs::File::open(path).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let mut start = Vec::new();
        (&mut file).take(8).read_to_end(&mut start).map_err(fail)?;
        check_header_length(&start, length)?;
        // A sparse file may claim any length: do not even try one that does not fit in memory.
        memory::require("loading the model", length.saturating_mul(2), None, Remedy::CheckFile)?;
        let mut bytes = Vec::new();
        let reserved = usize::try_from(length).ok().map(|l| bytes.try_reserve_exact(l));
        if !matches!(reserved, Some(Ok(()))) {
            return Err(damaged(format!("it claims {length} bytes, more than can be held")));
        }
        bytes.extend_from_slice(&start);
        file.take(length.saturating_sub(start.len() as u64)).read_to_end(&mut bytes).map_err(fail)?;
        Self::from_whole(bytes)
    }

    fn from_whole(bytes: Vec<u8>) -> Result<Self> {
        let whole = Arc::new(bytes);
        let bytes = whole.as_slice();
        check_header_length(bytes, bytes.len() as u64)?;
        check_tensor_count(bytes)?;
        let (length, header) = SafeTensors::read_metadata(bytes).map_err(|e| damaged(e.to_string()))?;
        let metadata = header.metadata().clone().unwrap_or_default();
        let entry = |key: &str| metadata.get(key);
        let format = entry("eocc.format").ok_or_else(|| {
            ModelFault::NotAModel("it is a safetensors file, but has no `eocc.format`".into())
        })?;
        let format: u64 = format.parse().map_err(|_| damaged("the format version is not a number".into()))?;
        if format > FORMAT {
            return Err(ModelFault::TooNew { found: format, known: FORMAT }.into());
        }
        if format < FORMAT {
            let text = format!(
                "the model file has format version {format}, and this model format is no longer supported; refit the model"
            );
            return Err(ModelFault::Unsupported(text).into());
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| damaged(e.to_string()))?;
        let model = entry("eocc.model").ok_or_else(|| damaged("`eocc.model` is missing".into()))?;
        let mut contents = Contents::default();
        for (name, view) in tensors.tensors() {
            let info = header.info(&name).ok_or_else(|| damaged(format!("tensor `{name}` is missing")))?;
            let (start, end) = info.data_offsets;
            let range = 8 + length + start..8 + length + end;
            let (dtype, shape) = (view.dtype(), view.shape().to_vec());
            contents.tensors.insert(name, Tensor { dtype, shape, whole: whole.clone(), range });
        }
        let checksum = entry("eocc.sha256").cloned().unwrap_or_default();
        let mut unchecked = Self { contents, model: model.clone(), checksum };
        match serde_json::from_str(model) {
            Ok(meta) => unchecked.contents.meta = meta,
            Err(e) => {
                unchecked.check()?;
                return Err(damaged(format!("`eocc.model` is not readable: {e}")));
            }
        }
        Ok(unchecked)
    }

    fn check(&self) -> Result<()> {
        if self.checksum == self.contents.checksum(&self.model) {
            return Ok(());
        }
        Err(damaged("the checksum does not match".into()))
    }
}

/// Refuses a file with too many tensors before anything is allocated for them: each takes far more memory than its
/// few bytes.
fn check_tensor_count(bytes: &[u8]) -> Result<()> {
    const KEY: &[u8] = b"\"data_offsets\"";
    let length = bytes.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
    let end = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(8).min(bytes.len());
    // Quotes within the description are escaped.
    let header = bytes.get(8..end).unwrap_or_default();
    let count = header
        .iter()
        .enumerate()
        .filter(|(at, byte)| **byte == b'"' && header[*at..].starts_with(KEY))
        .take(MAX_TENSORS + 1)
        .count();
    if count > MAX_TENSORS {
        return Err(damaged(format!("it has more than {MAX_TENSORS} tensors, which no model has")));
    }
    Ok(())
}

/// A fault of a damaged file.
pub(crate) fn damaged(what: String) -> Error {
    ModelFault::Damaged(what).into()
}

/// Fails if two of these names are equal: a lookup by name would be ambiguous.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(damaged(format!("two columns are named `{name}`")));
        }
    }
    Ok(())
}

/// Lengths must add up to the total, each at least `least`.
pub(crate) fn lengths(name: &str, contents: &Contents, total: usize, least: usize) -> Result<Vec<usize>> {
    let lengths: Vec<usize> = contents.u32s(name)?.0.into_iter().map(|l| l as usize).collect();
    let sum = lengths.iter().try_fold(0_usize, |sum, l| sum.checked_add(*l));
    if sum != Some(total) || lengths.iter().any(|l| *l < least) {
        return Err(damaged("the lengths of the samples do not add up".into()));
    }
    Ok(lengths)
}

/// Checks that the header fits in the file, before allocating its size.
fn check_header_length(start: &[u8], length: u64) -> Result<()> {
    let Some(first) = start.first_chunk::<8>() else {
        return Err(ModelFault::NotAModel(format!("it has only {} bytes", start.len())).into());
    };
    let header = u64::from_le_bytes(*first);
    // The length of a header has zeros at its end, which text does not have.
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    if first.iter().all(is_text) {
        return Err(ModelFault::NotAModel("it looks like text, such as a table".to_owned()).into());
    }
    if !(2..=MAX_HEADER).contains(&header) {
        return Err(
            ModelFault::NotAModel(format!("its first 8 bytes claim a header of {header} bytes")).into()
        );
    }
    if header > length.saturating_sub(8) {
        return Err(damaged(format!("the header claims {header} bytes, but the file has {length}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Contents {
        let mut c = Contents { meta: json!({ "kind": "test", "x": 0.1 }), ..Contents::default() };
        c.put_f64("a", &[2, 2], &[1.0, 2.0, 3.0, f64::MIN_POSITIVE]);
        c.put_u32("b", &[3], &[1, 2, 3]);
        c.put_u8("c", b"xyz");
        c
    }

    #[test]
    fn round_trip_and_the_same_bytes() {
        let bytes = small().to_bytes();
        assert_eq!(Contents::from_bytes(&bytes).unwrap(), small());
        assert_eq!(bytes, small().to_bytes());
    }

    #[test]
    fn every_truncation_and_every_bit_flip_is_one_clear_error() {
        let bytes = small().to_bytes();
        for length in 0..bytes.len() {
            assert!(Contents::from_bytes(&bytes[..length]).unwrap_err().is_model_file());
        }
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let e = Contents::from_bytes(&flipped).unwrap_err();
            assert!(e.is_model_file(), "bit {bit}: {e}");
        }
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.eocc");
        let meta = json!({ "name": "x".repeat(MAX_HEADER as usize) });
        let e = Contents { meta, ..Contents::default() }.save(&path).unwrap_err();
        assert!(e.is_model_file() && e.to_string().contains("are read again"), "{e}");
        assert!(!path.exists());
    }

    #[test]
    fn newer_versions_and_other_files_are_distinguished() {
        let mut bytes = small().to_bytes();
        let key = b"eocc.format\":\"";
        let at = bytes.windows(key.len()).position(|w| w == key).unwrap() + key.len();
        bytes[at] = b'9';
        let e = Contents::from_bytes(&bytes).unwrap_err();
        assert!(e.to_string().contains("format version 9"), "{e}");
        let e = Contents::from_bytes(b"PK\x03\x04 this is a zip file").unwrap_err();
        assert!(e.to_string().starts_with("this is not an eocc model file"), "{e}");
        assert!(Contents::from_bytes(b"").is_err());
    }

    #[test]
    fn hostile_sizes_are_refused_without_allocating() {
        let file = |header: &str| {
            let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
            bytes.extend_from_slice(header.as_bytes());
            bytes
        };
        let meta = r#""__metadata__":{"eocc.format":"2","eocc.model":"{}","eocc.sha256":"00"}"#;
        for tensor in [
            r#""a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,8]}"#,
            r#""a":{"dtype":"F64","shape":[125000000000],"data_offsets":[0,1000000000000]}"#,
            r#""a":{"dtype":"F64","shape":[1],"data_offsets":[8,0]}"#,
            r#""a":{"dtype":"F64","shape":[-1],"data_offsets":[0,8]}"#,
        ] {
            assert!(
                Contents::from_bytes(&file(&format!("{{{meta},{tensor}}}"))).unwrap_err().is_model_file()
            );
        }
        let empty = |i: usize| format!(r#""{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#);
        let many: Vec<String> = (0..=MAX_TENSORS).map(empty).collect();
        let e = Contents::from_bytes(&file(&format!("{{{meta},{}}}", many.join(",")))).unwrap_err();
        assert!(e.to_string().contains("more than 131072 tensors"), "{e}");
        let mut claims = u64::MAX.to_le_bytes().to_vec();
        claims.extend_from_slice(b"{}");
        assert!(Contents::from_bytes(&claims).unwrap_err().is_model_file());
    }
}
