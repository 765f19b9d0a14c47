//! eocc
fn main() {}
