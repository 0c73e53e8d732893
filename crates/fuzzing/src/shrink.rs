//! Making a failing sequence small (delta debugging in its simple form: Zeller and Hildebrandt, "Simplifying
//! and Isolating Failure-Inducing Input", 2002).

/// A part of the sequence that still fails: items are cut out, longest runs first, then each is replaced by
/// something `smaller` as long as that fails.
pub fn shrink<T: Clone>(
    items: &[T],
    smaller: &dyn Fn(&T) -> Vec<T>,
    fails: &mut dyn FnMut(&[T]) -> bool,
) -> Vec<T> {
    let mut best = items.to_vec();
    let mut chunk = best.len();
    while chunk > 0 {
        let mut at = 0;
        while at < best.len() {
            let mut candidate = best.clone();
            candidate.drain(at..(at + chunk).min(best.len()));
            if fails(&candidate) { best = candidate } else { at += chunk }
        }
        chunk /= 2;
    }
    for at in 0..best.len() {
        loop {
            let found = smaller(&best[at]).into_iter().find(|item| {
                let mut candidate = best.clone();
                candidate[at] = item.clone();
                fails(&candidate)
            });
            match found {
                Some(item) => best[at] = item,
                None => break,
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::shrink;

    /// Two items are to blame, and one of them can be smaller.
    #[test]
    fn only_what_is_to_blame_stays() {
        let items: Vec<u32> = (0..100).collect();
        let less = |n: &u32| n.checked_sub(1).into_iter().collect();
        let mut fails = |list: &[u32]| list.contains(&17) && list.iter().any(|&n| n >= 40);
        assert_eq!(shrink(&items, &less, &mut fails), [17, 40]);
    }
}
