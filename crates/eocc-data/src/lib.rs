//! eocc-data
