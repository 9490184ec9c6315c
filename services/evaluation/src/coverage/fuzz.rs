//! Whatever a report of coverage holds, it is read or refused: no panic, and no more memory than its size allows.

use super::Coverage;
use super::tests::{COBERTURA, COVERAGE_PY, ISTANBUL, JACOCO, LCOV};
use fuzzing::{Allowance, fuzz, mutated, one_of};

const ALLOWED: Allowance = Allowance { base: 1 << 20, per_byte: 300 };

#[test]
fn a_report_of_coverage_is_read_or_refused_whatever_it_holds() {
    let seeds = [COVERAGE_PY, ISTANBUL, LCOV, JACOCO, COBERTURA];
    for seed in seeds {
        Coverage::read("seed", seed).expect("what is changed is valid before");
    }
    let inputs = mutated(one_of(seeds.map(|text| text.as_bytes().to_vec())));
    fuzz("coverage", inputs, ALLOWED, |input| {
        let text = String::from_utf8_lossy(input);
        match Coverage::read("report", &text) {
            Ok(coverage) => assert!(coverage.covered() <= coverage.lines()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}
