//! Words of destruction in texts, icons and addresses.

use super::*;

#[test]
fn what_is_sent_or_published_is_a_command_in_other_languages_too() {
    for label in
        ["Bye, sign me out", "Publish", "Mitglied einladen", "Envoyer à tous", "Pubblica", "Wyślij list", "邀请成员"]
    {
        assert!(command(label).is_some(), "{label}");
    }
    for label in ["Published", "Sender", "Prices", "Hilfe"] {
        assert!(command(label).is_none(), "{label}");
    }
}

#[test]
fn a_verb_that_ends_something_is_a_command_in_front_of_what_it_ends() {
    let commands =
        ["Empty folder", "Empty the trash", "Cancel my membership", "Reset to factory settings", "Stop service"];
    for label in commands {
        assert!(command(label).is_some(), "{label}");
    }
    for label in
        ["Empty", "The folder is empty", "Cancel", "Reset", "Clear filters", "Reset the form", "Cancel editing", "End"]
    {
        assert!(command(label).is_none(), "{label}");
    }
}

#[test]
fn whoever_takes_what_others_owe_charges_them() {
    for label in ["Collect this month's fees", "Draw payments", "Release the deposit"] {
        assert_eq!(command(label).map(|word| rule_of(&word)), Some(Rule::Pays), "{label}");
    }
    for label in ["Collect stamps", "Take the tour", "Payments", "Fees to draw attention to"] {
        assert!(command(label).is_none(), "{label}");
    }
}

#[test]
fn unsubscribing_is_a_command_whatever_it_is_from() {
    assert!(is_plain_command("Unsubscribe from our monthly digest"));
    assert!(!is_plain_command("How to unsubscribe from our monthly digest"));
}
