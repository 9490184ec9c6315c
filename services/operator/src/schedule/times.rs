//! The times of a cron expression in a time zone. Pure.
//!
//! A time that daylight saving skips is taken at the first moment after the gap; one that comes twice is taken once. Both are what
//! the library does for expressions of a fixed time, and tests hold it to that.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Why there are no times.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    /// The expression cannot be read.
    #[error(
        "`cron: {cron}`: {cause}; the fields are minute, hour, day of month, month, day of week, e.g. `0 6 * * 1-5`"
    )]
    Cron {
        /// The expression.
        cron: String,
        /// What is wrong.
        cause: String,
    },
    /// There is no such zone.
    #[error("`timeZone: {0}`: there is no such zone in the IANA database; write for example Europe/Berlin")]
    Zone(String),
    /// It can be read, and no time ever fits.
    #[error("`cron: {0}`: no time ever fits; does that day exist in that month?")]
    Never(String),
}

/// The times of a schedule.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    cron: Cron,
    zone: TimeZone,
}

impl Times {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`Error`].
    pub(crate) fn parse(cron: &str, zone: &str, now: Timestamp) -> Result<Times, Error> {
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let failed = |cause: String| Error::Cron { cron: cron.to_owned(), cause };
        let parsed = parser.parse(cron).map_err(|error| failed(error.to_string().to_lowercase()))?;
        let zone = TimeZone::get(zone).map_err(|_| Error::Zone(zone.to_owned()))?;
        let times = Times { cron: parsed, zone };
        match times.after(now) {
            Some(_) => Ok(times),
            None => Err(Error::Never(cron.to_owned())),
        }
    }

    /// The first time after a moment.
    pub(crate) fn after(&self, moment: Timestamp) -> Option<Timestamp> {
        let local = moment.to_zoned(self.zone.clone());
        let next = self.cron.find_next_occurrence(&local, false).ok()?.timestamp();
        // A time in the hour that comes twice must not lead back to itself.
        (next > moment).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn times(cron: &str, zone: &str) -> Times {
        Times::parse(cron, zone, at("2026-01-01T00:00:00Z")).expect("times")
    }

    #[track_caller]
    fn check(cron: &str, zone: &str, from: &str, expected: &[&str]) {
        let times = times(cron, zone);
        let mut moment = at(from);
        let mut found = Vec::new();
        for _ in expected {
            moment = times.after(moment).expect("a time");
            found.push(moment.to_string());
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn fields_are_meant_in_the_zone_that_is_named() {
        check("0 6 * * *", "UTC", "2026-07-01T00:00:00Z", &["2026-07-01T06:00:00Z", "2026-07-02T06:00:00Z"]);
        check("0 6 * * *", "Europe/Berlin", "2026-07-01T00:00:00Z", &["2026-07-01T04:00:00Z"]);
        check("0 6 * * *", "Europe/Berlin", "2026-12-01T00:00:00Z", &["2026-12-01T05:00:00Z"]);
        check(
            "*/30 9 * * 1-5",
            "Asia/Kolkata",
            "2026-07-03T04:00:00Z",
            &["2026-07-06T03:30:00Z", "2026-07-06T04:00:00Z"],
        );
        check("@daily", "America/New_York", "2026-07-01T12:00:00Z", &["2026-07-02T04:00:00Z"]);
    }

    /// In Berlin there was no 02:30 on 2026-03-29.
    #[test]
    fn a_time_that_daylight_saving_skips_is_not_lost() {
        let expected = ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"];
        check("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", &expected);
    }

    /// In Berlin there were two 02:30 on 2026-10-25.
    #[test]
    fn a_time_that_comes_twice_is_taken_once() {
        let expected = ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"];
        check("30 2 * * *", "Europe/Berlin", "2026-10-23T12:00:00Z", &expected);
    }

    #[test]
    fn what_cannot_be_meant_is_told_with_what_to_write() {
        let refused = |cron: &str, zone: &str| {
            Times::parse(cron, zone, at("2026-01-01T00:00:00Z")).expect_err("refused").to_string()
        };
        assert!(refused("61 * * * *", "UTC").starts_with("`cron: 61 * * * *`: "));
        assert!(refused("0 0 12 * * *", "UTC").contains("minute, hour"));
        assert!(refused("0 6 * * *", "Europe/Berlim").contains("there is no such zone"));
        assert!(refused("0 0 30 2 *", "UTC").contains("no time ever fits"));
    }
}
