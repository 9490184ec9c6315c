//! Secrets: put in at the moment of typing, taken out of everything that is observed afterwards. Pure.

use domain::Observation;
use domain::page::PageError;

use crate::options::SecretSource;

/// Replaces every `${secret:NAME}` of a text by its value, and answers which pairs of name and value were used.
///
/// # Errors
/// [`PageError::Secret`] when one has no value; nothing was typed.
pub(crate) fn reveal(text: &str, source: &dyn SecretSource) -> Result<(String, Vec<(String, String)>), PageError> {
    let mut typed = String::new();
    let mut used = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${secret:") {
        let Some((name, behind)) = after.split_once('}') else { break };
        let value = source.secret(name).map_err(|cause| PageError::Secret { name: name.to_owned(), cause })?;
        typed.push_str(before);
        typed.push_str(&value);
        used.push((name.to_owned(), value));
        rest = behind;
    }
    typed.push_str(rest);
    Ok((typed, used))
}

/// Puts the references back wherever a page shows, sends or reports a secret that was typed into it.
pub(crate) fn redact(observation: &mut Observation, used: &[(String, String)]) {
    if used.is_empty() {
        return;
    }
    let clean = |text: &mut String| {
        for (name, value) in used {
            for shown in [value.clone(), url::form_urlencoded::byte_serialize(value.as_bytes()).collect()] {
                if !shown.is_empty() && text.contains(&shown) {
                    *text = text.replace(&shown, &format!("${{secret:{name}}}"));
                }
            }
        }
    };
    clean(&mut observation.url);
    clean(&mut observation.title);
    clean(&mut observation.description);
    for node in &mut observation.nodes {
        clean(&mut node.name);
        clean(&mut node.text);
        clean(&mut node.context);
        node.value.iter_mut().for_each(clean);
        node.attributes.values_mut().for_each(clean);
        for option in &mut node.options {
            clean(&mut option.label);
            clean(&mut option.value);
        }
    }
    observation.frames.iter_mut().for_each(|frame| clean(&mut frame.url));
    observation.tabs.iter_mut().for_each(|tab| clean(&mut tab.url));
    observation.dialog.iter_mut().for_each(|dialog| clean(&mut dialog.message));
    observation.requests.iter_mut().for_each(|request| clean(&mut request.url));
    observation.downloads.iter_mut().for_each(clean);
    for fault in &mut observation.faults {
        clean(&mut fault.message);
        clean(&mut fault.source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Node;
    use std::collections::BTreeMap;

    fn source() -> BTreeMap<String, String> {
        BTreeMap::from([("pw".to_owned(), "hun&ter2".to_owned())])
    }

    #[test]
    fn a_reference_becomes_its_value_only_here() {
        let (typed, used) = reveal("my ${secret:pw}!", &source()).unwrap();
        assert_eq!(typed, "my hun&ter2!");
        assert_eq!(used, [("pw".to_owned(), "hun&ter2".to_owned())]);
    }

    #[test]
    fn an_unknown_secret_is_refused_by_name() {
        let error = reveal("${secret:other}", &source()).unwrap_err();
        assert!(error.to_string().contains("`other`"), "{error}");
    }

    #[test]
    fn a_page_that_shows_the_secret_is_observed_with_the_reference() {
        let node = Node { text: "welcome hun&ter2".to_owned(), ..Node::default() };
        let mut observation =
            Observation { url: "http://a.org/?p=hun%26ter2".to_owned(), nodes: vec![node], ..Observation::default() };
        redact(&mut observation, &[("pw".to_owned(), "hun&ter2".to_owned())]);
        assert_eq!(observation.nodes[0].text, "welcome ${secret:pw}");
        assert_eq!(observation.url, "http://a.org/?p=${secret:pw}");
    }
}
