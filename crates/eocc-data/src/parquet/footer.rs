//! Checks the footer of a Parquet file before the library reads it.
//!
//! The library allocates memory for the claimed number of row groups, and recurses to the claimed depth of the
//! schema. Running out of memory or stack cannot be caught, so both claims are checked here by walking through the
//! footer, which uses the compact protocol of Apache Thrift.

/// Maximum nesting depth of the schema and of the footer itself.
const DEEPEST: usize = 64;
const CUT: &str = "the footer is damaged";

/// Checks that the footer's lists fit in it and that the schema is not too deep.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    // Magic at both ends, with the length of the footer before the last.
    let end = bytes.len().checked_sub(8).filter(|end| *end >= 4).ok_or("the file is cut off")?;
    let (length, magic) = bytes[end..].split_at(4);
    match magic {
        b"PAR1" => {}
        b"PARE" => return Err("the file is encrypted; save it without encryption".into()),
        _ => return Err("the end of the file is missing; is the file cut off?".into()),
    }
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let start = end.checked_sub(length).ok_or("the footer claims to be longer than the file")?;
    let mut walker = Walker::new(&bytes[start..end]);
    walker.structure(0, &[])?;
    if depth(&walker.children) > DEEPEST {
        return Err(format!("its schema is more than {DEEPEST} levels deep"));
    }
    Ok(())
}

/// Depth of a tree given by the number of children of each node, in preorder.
fn depth(children: &[u64]) -> usize {
    let mut open: Vec<u64> = Vec::new();
    let mut deepest = 0;
    for count in children {
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        open.push(*count);
        deepest = deepest.max(open.len());
        if deepest > DEEPEST {
            break;
        }
    }
    deepest
}

/// Path of fields from the footer to `num_children` of a schema element.
const SCHEMA: i64 = 2;
const NUM_CHILDREN: i64 = 5;

/// A walk through data in the compact protocol.
pub(super) struct Walker<'a> {
    rest: &'a [u8],
    /// `num_children` of each element of the schema.
    children: Vec<u64>,
}

impl<'a> Walker<'a> {
    /// A walk from the start of these bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, children: Vec::new() }
    }

    /// The bytes after the walk.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The head of the next field of a structure: sets its number and returns its kind; `None` at the end.
    pub(super) fn field(&mut self, id: &mut i64) -> Result<Option<u8>, &'static str> {
        let head = self.byte()?;
        if head == 0 {
            return Ok(None);
        }
        *id = if head >> 4 == 0 { self.signed()? } else { id.saturating_add(i64::from(head >> 4)) };
        Ok(Some(head & 0xf))
    }

    /// Skips the value of a field.
    pub(super) fn skip_value(&mut self, kind: u8) -> Result<(), &'static str> {
        self.value(kind, false, 1, &[0, 0])
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        let (first, rest) = self.rest.split_first().ok_or(CUT)?;
        self.rest = rest;
        Ok(*first)
    }

    fn skip(&mut self, count: u64) -> Result<(), &'static str> {
        let count = usize::try_from(count).map_err(|_| CUT)?;
        self.rest = self.rest.get(count..).ok_or(CUT)?;
        Ok(())
    }

    /// A variable-length integer in groups of seven bits, least significant first.
    fn number(&mut self) -> Result<u64, &'static str> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(CUT)
    }

    /// An integer whose lowest bit is the sign.
    pub(super) fn signed(&mut self) -> Result<i64, &'static str> {
        let value = self.number()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// A structure; `path` lists the fields leading to it.
    fn structure(&mut self, depth: usize, path: &[i64]) -> Result<(), &'static str> {
        let in_schema = path == [SCHEMA];
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            if in_schema && id == NUM_CHILDREN && kind == 5 {
                // The library refuses a negative number itself.
                children = u64::try_from(self.signed()?).unwrap_or(0);
            } else {
                let deeper = if path.is_empty() { &[id][..] } else { &[id, id, id][..] };
                self.value(kind, false, depth + 1, deeper)?;
            }
        }
        if in_schema {
            self.children.push(children);
        }
        Ok(())
    }

    fn value(&mut self, kind: u8, in_list: bool, depth: usize, path: &[i64]) -> Result<(), &'static str> {
        if depth > DEEPEST {
            return Err(CUT);
        }
        match kind {
            // A boolean is part of the field's head, but a byte in a list.
            1 | 2 => self.skip(u64::from(in_list)),
            3 => self.skip(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let length = self.number()?;
                self.skip(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
                // Every element takes at least one byte.
                if count > self.rest.len() as u64 {
                    return Err("the footer claims more than it has room for");
                }
                (0..count).try_for_each(|_| self.value(head & 0xf, true, depth + 1, path))
            }
            11 => {
                let count = self.number()?;
                if count == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                if count > self.rest.len() as u64 {
                    return Err("the footer claims more than it has room for");
                }
                (0..count).try_for_each(|_| {
                    self.value(kinds >> 4, true, depth + 1, &[0, 0])?;
                    self.value(kinds & 0xf, true, depth + 1, &[0, 0])
                })
            }
            12 => self.structure(depth, path),
            13 => self.skip(16),
            _ => Err(CUT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(footer: &[u8]) -> Vec<u8> {
        [b"PAR1", footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
    }

    #[test]
    fn depths_are_counted() {
        assert_eq!(depth(&[]), 0);
        assert_eq!(depth(&[2, 0, 0]), 2);
        assert_eq!(depth(&[2, 1, 0, 1, 1, 0]), 4);
    }

    #[test]
    fn claims_without_substance_are_refused() {
        // Field 4, a list of structures, two billion of them.
        let message = check(&file(&[0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0])).unwrap_err();
        assert!(message.contains("more than it has room for"), "{message}");
        // Field 2, a list of a hundred structures, each with field 5 claiming one child.
        let mut deep = vec![0x29, 0xfc, 100];
        deep.extend([0x55, 2, 0].repeat(100));
        deep.push(0);
        assert!(check(&file(&deep)).unwrap_err().contains("levels deep"));
        // Field 1, a list of a list of a list and so on.
        let lists = [0x19].iter().chain(&[0x19; 500]).copied().collect::<Vec<u8>>();
        assert!(check(&file(&lists)).is_err());
        assert!(check(b"PAR1").is_err());
        assert!(check(b"PAR1\0\0\0\0PAR1").is_err());
        assert!(check(b"PAR1\xff\xff\0\0PAR1").unwrap_err().contains("longer than the file"));
    }
}
