//! Several results that count as one set: the mean over the classes of a set of series.

use eocc_eval::{Cell, Summary};

/// The results with sets of the same display name merged; `shown` has the name of each.
pub(super) fn merged(summary: &Summary, shown: &[String]) -> Summary {
    let mut sets: Vec<String> = shown.to_vec();
    sets.dedup();
    let cell = |row: &[Result<Cell, String>], set: &String| {
        let mut cells = Vec::new();
        for (i, cell) in row.iter().enumerate().filter(|(i, _)| shown[*i] == *set) {
            match cell {
                Ok(cell) => cells.push(cell),
                Err(reason) if summary.sets[i].starts_with(&format!("{set},")) => {
                    return Err(format!("{reason} ({})", summary.sets[i]));
                }
                Err(reason) => return Err(reason.clone()),
            }
        }
        Ok(mean_of(&cells))
    };
    let row = |row: &Vec<Result<Cell, String>>| sets.iter().map(|set| cell(row, set)).collect();
    Summary {
        cells: summary.cells.iter().map(row).collect(),
        methods: summary.methods.clone(),
        titles: summary.titles.clone(),
        sets,
    }
}

fn mean_of(cells: &[&Cell]) -> Cell {
    let of = |f: &dyn Fn(&Cell) -> f64| cells.iter().map(|c| f(c)).sum::<f64>() / cells.len() as f64;
    let repeats = cells.iter().map(|c| c.repeats.len()).min().unwrap_or(0);
    let errors: Option<Vec<f64>> = cells.iter().map(|c| c.error).collect();
    Cell {
        auc: of(&|c| c.auc),
        repeats: (0..repeats).map(|r| of(&|c| c.repeats[r])).collect(),
        deviation: of(&|c| c.deviation),
        fold_deviation: of(&|c| c.fold_deviation),
        error: errors.map(|e| super::mean(&e)),
        average_precision: of(&|c| c.average_precision),
        fit_seconds: of(&|c| c.fit_seconds),
        score_seconds: of(&|c| c.score_seconds),
        seconds_per_thousand: of(&|c| c.seconds_per_thousand),
        folds: cells.iter().map(|c| c.folds).sum(),
        at_threshold: None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A result with this AUC.
    pub(in super::super) fn cell(auc: f64) -> Cell {
        Cell {
            auc,
            repeats: vec![auc],
            deviation: 0.0,
            fold_deviation: 0.0,
            error: None,
            average_precision: auc,
            fit_seconds: 1.0,
            score_seconds: 1.0,
            seconds_per_thousand: 1.0,
            folds: 1,
            at_threshold: None,
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_mean_over_classes_is_one_set_and_a_failure_on_one_is_a_failure() {
        let failed = || Err("too few".to_owned());
        let summary = Summary {
            sets: words(&["a, class 1", "a, class 2", "b"]),
            methods: words(&["x", "y"]),
            titles: words(&["X", "Y"]),
            cells: vec![
                vec![Ok(cell(0.5)), Ok(cell(0.7)), failed()],
                vec![Ok(cell(0.5)), failed(), Ok(cell(0.9))],
            ],
        };
        let merged = merged(&summary, &words(&["a", "a", "b"]));
        assert_eq!(merged.sets, ["a", "b"]);
        let first = merged.cells[0][0].as_ref().unwrap();
        assert!((first.auc - 0.6).abs() < 1e-12 && first.folds == 2);
        assert_eq!(merged.failures(), ["X on b: too few", "Y on a: too few (a, class 2)"]);
        assert_eq!(merged.cells[1][1].as_ref(), Ok(&cell(0.9)));
    }
}
