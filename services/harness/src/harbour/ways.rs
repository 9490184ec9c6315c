//! Tasks on Harbour whose pages lie some steps from the front page, said without naming the way.

use super::Harbour;
use serde_json::{Value, json};

/// An instruction, and the path of the page that is open in the end.
const TASKS: [(&str, &str); 20] = [
    ("Open the tides.", "/services/tides"),
    ("Open the guest book.", "/services/guest-book"),
    ("Go to the page \"All knots\".", "/workshop/knots"),
    ("Open the privacy page.", "/help/privacy"),
    ("Take me to the cookies page, please.", "/help/cookies"),
    ("Show me the films.", "/help/films"),
    ("I am waiting for something. Open \"Where is my parcel?\".", "/help/track"),
    ("Go to the tool shed.", "/workshop/tools"),
    ("Open the rules of the shed.", "/workshop/rules"),
    ("Open the courses.", "/workshop/courses"),
    ("Open the course \"Rope work for beginners\".", "/workshop/courses/beginners"),
    ("Open the gallery.", "/services/gallery"),
    ("Open the page \"Work with us\".", "/services/work"),
    ("Show the imprint.", "/imprint"),
    ("Open the knot \"Reef knot\".", "/workshop/knots/reef-knot"),
    ("Go to the page \"How to measure\".", "/help/sizes"),
    ("Open \"The printed catalogue\".", "/printed"),
    ("Open the page on how reviews are checked, \"How we check reviews\".", "/help/reviews"),
    ("Open the page \"The harbour master listens\".", "/help/chat"),
    ("Open the returns page.", "/help/returns"),
];

/// The tasks, each from the front page.
pub fn tasks(harbour: &Harbour) -> Vec<Value> {
    let task = |(number, (instruction, ends)): (usize, &(&str, &str))| {
        json!({
            "id": format!("t{number}"), "start_url": harbour.url("/"), "instruction": instruction,
            "check": {"page_state": {"expression": "location.pathname", "equals": ends}},
        })
    };
    TASKS.iter().enumerate().map(task).collect()
}
