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
