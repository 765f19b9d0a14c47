//! eocc-report
