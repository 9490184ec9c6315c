//! Files that a task gives to a site are references, as secrets are: instructions and actions name them, and only the browser room knows
//! where they stand. A path that an action names by itself is no file of the task.

mod samples;

pub use samples::{accepted, content as sample};

/// What the names of the folders begin with, within that for temporary files, in which explorations make files of their own.
pub const SAMPLES: &str = "rutter-samples-";

/// The placeholder by which instructions and actions name a file of the task.
pub fn placeholder(name: &str) -> String {
    format!("${{file:{name}}}")
}

/// The name of the file that a text names, if it is a placeholder and nothing else.
pub fn name_of(text: &str) -> Option<&str> {
    text.strip_prefix("${file:")?.strip_suffix('}').filter(|name| !name.contains('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_names_its_file_and_other_texts_name_none() {
        assert_eq!(name_of(&placeholder("cv")), Some("cv"));
        for text in ["/etc/passwd", "${secret:cv}", "${file:a} ${file:b}", "a ${file:cv}", "cv"] {
            assert_eq!(name_of(text), None, "{text}");
        }
    }
}
