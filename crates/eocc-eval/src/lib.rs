//! eocc-eval
