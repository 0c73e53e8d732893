//! The time of day, as ISO 8601 in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now; the time that `SOURCE_DATE_EPOCH` states where it is set, for outputs that can be made again.
pub fn now() -> String {
    let stated = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    iso(stated.unwrap_or(now))
}

/// Seconds since 1970 as date and time. The calendar is computed in cycles of 400 years that begin in March.
fn iso(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(super::iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(super::iso(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(super::iso(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(super::iso(1_794_787_200), "2026-11-16T00:00:00Z");
    }
}
