//! Files that a task gives to a site: whatever the verb, they are put into a field.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A command that hands a file over, with what the file is called and where it goes.
#[allow(clippy::unwrap_used, reason = "a constant")]
static HANDED_OVER: LazyLock<Regex> = LazyLock::new(|| {
    // What is sent or submitted is handed in as well, which a field alone does not do.
    let verbs = "upload|attach|add|choose|select|pick|put|insert|set|use|provide";
    let called =
        r"(?:(?:the|my|a|an|this|our)\s+)?(?:(?:file|document|picture|photo|image|attachment|scan|pdf|csv)\s+)?";
    let place = r"(?:\s+(?:into|in|to|as|for|under|on|at)\b)?";
    Regex::new(&format!(r"(?i)\b(?:{verbs})\s+{called}(\$\{{file:[^}}]+\}})({place})")).unwrap()
});

/// `Upload ${file:cv} as the résumé` is `Enter ${file:cv} into the résumé`.
pub(super) fn put_into_fields(instruction: &str) -> Cow<'_, str> {
    HANDED_OVER.replace_all(instruction, |found: &regex::Captures<'_>| {
        let place = if found[2].is_empty() { "" } else { " into" };
        format!("enter {}{place}", &found[1])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_hands_a_file_over_puts_it_into_a_field() {
        for (said, read) in [
            ("Upload ${file:cv}", "enter ${file:cv}"),
            (
                "Attach the file ${file:cv} to the message and press Send",
                "enter ${file:cv} into the message and press Send",
            ),
            ("choose ${file:me} as \"Profile picture\"", "enter ${file:me} into \"Profile picture\""),
            ("Add \"Lamp\" to the cart", "Add \"Lamp\" to the cart"),
        ] {
            assert_eq!(put_into_fields(said), read);
        }
    }
}
