//! eocc-oracle
