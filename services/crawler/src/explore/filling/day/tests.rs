//! Days, in the words of forms and of refusals.

use super::*;

fn day(text: &str) -> NaiveDate {
    read(text, None).unwrap()
}

/// A Wednesday.
fn today() -> NaiveDate {
    day("2031-01-15")
}

#[test]
fn days_are_reckoned_from_today_and_in_order() {
    for (first, second) in [
        ("from", "to"),
        ("start date", "end date"),
        ("Check-in", "Check-out"),
        ("arrival", "departure"),
        ("departure", "return"),
        ("valid from", "valid until"),
        ("check_in", "check_out"),
        ("issued", "due"),
        ("Date of birth", "Hired"),
    ] {
        for ahead in 0..40 {
            let today = today() + Days::new(ahead);
            let (first, second) = (meant(first, today), meant(second, today));
            assert!(first < second, "{first} {second}");
            for day in [first, second] {
                assert!(!matches!(day.weekday(), Weekday::Sat | Weekday::Sun), "{day}");
            }
        }
    }
    assert!(meant("Date", today()) > today());
    assert!(meant("Date of birth", today()) < day("2010-01-01"));
    assert!(meant("Card expiry", today()) > day("2032-12-01"));
}

#[test]
fn what_ends_is_known_by_its_words() {
    assert!(is_end("End time") && is_end("to") && is_end("check-out"));
    assert!(!is_end("Start time") && !is_end("Today's tone"));
}

#[test]
fn another_day_is_taken_when_one_is_refused() {
    let mended = |said: &str| mended(said, day("2031-01-22"), 1, today()).map(|day| day.to_string());
    // A Wednesday was refused.
    assert_eq!(mended("Pick-up is on Saturdays only").as_deref(), Some("2031-01-25"));
    assert_eq!(mended("We are closed on Wednesdays and Thursdays").as_deref(), Some("2031-01-24"));
    assert_eq!(mended("Not available Monday to Thursday").as_deref(), Some("2031-01-24"));
    assert_eq!(mended("Only on weekends").as_deref(), Some("2031-01-25"));
    assert_eq!(mended("No weekends, please").as_deref(), Some("2031-01-23"));
    assert_eq!(mended("Please choose a business day").as_deref(), Some("2031-01-23"));
    assert_eq!(mended("The date must be in the past").as_deref(), Some("2031-01-08"));
    assert_eq!(mended("must be after the start date").as_deref(), Some("2031-01-29"));
    assert_eq!(mended("The date cannot be in the past.").as_deref(), Some("2031-01-29"));
    assert_eq!(mended("This field is required."), None);
    assert_eq!(mended("Monthly plans only"), None);
}

#[test]
fn a_day_is_written_and_read_in_the_format_that_is_spelled_out() {
    for (said, text) in [
        ("Born (DD/MM/YYYY)", "15/01/2031"),
        ("like MM/DD/YYYY", "01/15/2031"),
        ("DD.MM.YYYY", "15.01.2031"),
        ("match the format Y-m-d.", "2031-01-15"),
    ] {
        let format = format(said).unwrap();
        assert_eq!(written(today(), format), text);
        assert_eq!(read(text, Some(format)), Some(today()), "{said}");
    }
    assert_eq!(format("dd or so"), None);
}

#[test]
fn every_pattern_can_be_read() {
    compile_all();
}
