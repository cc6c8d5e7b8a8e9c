//! Did you mean?

/// The candidate that is a slip of the finger away from `word`.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let slips = (word.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= slips)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove or replace to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for column in 0..to.len() {
            let replaced = diagonal + usize::from(letter != to[column]);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_the_known_ones() {
        let words = [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3)];
        for (from, to, expected) in words {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn only_slips_are_corrected() {
        let keys = ["momentum", "weight_decay", "ema"];
        assert_eq!(nearest("wieght_decay", keys.into_iter()), Some("weight_decay"));
        assert_eq!(nearest("emma", keys.into_iter()), Some("ema"));
        assert_eq!(nearest("learning_rate", keys.into_iter()), None);
    }
}
