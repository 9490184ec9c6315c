//! Reads a page from an HTML file. Without a browser style sheets are not applied; elements that are commonly hidden by
//! attributes and well-known classes are omitted.

use super::page::{Element, Page};
use scraper::{ElementRef, Html, Node};

/// Invisible tags.
const UNSEEN: [&str; 12] =
    ["head", "script", "style", "noscript", "template", "meta", "link", "base", "title", "source", "track", "param"];

impl Page {
    /// The page of an HTML document; its address is not known.
    pub fn of_html(html: &str) -> Self {
        let document = Html::parse_document(html);
        let mut page = Page::default();
        // Without recursion: documents may be nested as deeply as they like.
        let mut waiting = vec![(document.root_element(), None)];
        while let Some((element, parent)) = waiting.pop() {
            if is_hidden(&element) {
                continue;
            }
            let place = page.elements.len();
            page.elements.push(read(&element, parent));
            let children: Vec<ElementRef<'_>> = element.child_elements().collect();
            waiting.extend(children.into_iter().rev().map(|child| (child, Some(place))));
        }
        page
    }
}

fn is_hidden(element: &ElementRef<'_>) -> bool {
    let tag = element.value().name();
    let style: String =
        element.attr("style").unwrap_or_default().chars().filter(|letter| !letter.is_whitespace()).collect();
    let has = |class: &str| element.value().classes().any(|name| name == class);
    let is_closed = !has("in") && !has("show") && !has("open");
    UNSEEN.contains(&tag)
        || element.attr("hidden").is_some()
        || (tag == "input" && element.attr("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")))
        || (tag == "dialog" && element.attr("open").is_none())
        || style.contains("display:none")
        || style.contains("visibility:hidden")
        || ["hidden", "hide", "d-none", "invisible", "sr-only", "visually-hidden"].into_iter().any(has)
        || (["modal", "collapse"].into_iter().any(has) && is_closed && !style.contains("display:block"))
}

fn read(element: &ElementRef<'_>, parent: Option<usize>) -> Element {
    let attribute = |name: &str| element.attr(name).unwrap_or_default().to_owned();
    let tag = element.value().name().to_lowercase();
    let kind = attribute("type").to_lowercase();
    let role =
        element.attr("role").unwrap_or_else(|| implied_role(&tag, &kind, element.attr("href").is_some())).to_owned();
    let own: String = element
        .children()
        .filter_map(|child| match child.value() {
            Node::Text(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let named = ["name", "id"].map(attribute).into_iter().find(|name| !name.is_empty());
    let is_button = tag == "input" && matches!(kind.as_str(), "submit" | "button" | "reset");
    let given = ["aria-label", "title", "alt"].map(attribute).into_iter().find(|label| !label.is_empty());
    let truth = |name: &str| element.attr(name) == Some("true");
    let is_control = matches!(tag.as_str(), "button" | "select" | "textarea" | "input" | "summary")
        || (tag == "a" && element.attr("href").is_some())
        || matches!(
            role.as_str(),
            "button" | "link" | "tab" | "menuitem" | "checkbox" | "switch" | "textbox" | "combobox"
        )
        || element.attr("onclick").is_some();
    // Only labelled elements need their whole text, which is long in a deep page.
    let label = match () {
        () if is_button => attribute("value"),
        () if is_control || role == "heading" => {
            let text = fold(&element.text().collect::<Vec<_>>().join(" "));
            if text.is_empty() { given.unwrap_or_default() } else { text }
        }
        () => given.unwrap_or_default(),
    };
    Element {
        parent,
        role,
        name: named.unwrap_or_default(),
        classes: element.value().classes().map(str::to_owned).collect(),
        // Options of a select do not count as page text.
        text: if tag == "select" { String::new() } else { fold(&own) },
        label: label.chars().take(200).collect(),
        target: element.attr("href").or_else(|| element.attr("action")).map(str::to_owned),
        is_feasible: is_control && element.attr("disabled").is_none() && !truth("aria-disabled"),
        is_current: ["aria-selected", "aria-expanded", "aria-pressed"].into_iter().any(truth)
            || !matches!(element.attr("aria-current"), None | Some("false")),
        is_invalid: truth("aria-invalid"),
        size: None,
        tag,
        kind,
    }
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn implied_role(tag: &str, kind: &str, has_href: bool) -> &'static str {
    match tag {
        "a" if has_href => "link",
        "button" | "summary" => "button",
        "input" => match kind {
            "checkbox" => "checkbox",
            "radio" => "radio",
            "submit" | "button" | "reset" | "image" => "button",
            "range" => "slider",
            "number" => "spinbutton",
            "search" => "searchbox",
            _ => "textbox",
        },
        "textarea" => "textbox",
        "select" => "combobox",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "nav" => "navigation",
        "main" => "main",
        "form" => "form",
        "table" => "table",
        "tr" => "row",
        "ul" | "ol" => "list",
        "li" => "listitem",
        "img" => "img",
        "dialog" => "dialog",
        "article" => "article",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(html: &str) -> Vec<String> {
        Page::of_html(html).elements.into_iter().map(|element| element.tag).collect()
    }

    #[test]
    fn what_nobody_sees_is_left_out_with_all_that_is_in_it() {
        let html = "<title>t</title><div hidden><p>a</p></div><div style='display: none'><p>b</p></div>\
                    <script>c</script><input type=hidden name=d><div class='modal fade'><p>e</p></div><p>seen</p>";
        assert_eq!(tags(html), ["html", "body", "p"]);
    }

    #[test]
    fn controls_have_roles_names_and_targets() {
        let page = Page::of_html("<a href=/x>go <b>on</b></a><input type=submit value=Send><input name=mail>");
        let found: Vec<_> = page.elements.iter().filter(|element| element.is_feasible).collect();
        assert_eq!((found[0].role.as_str(), found[0].label.as_str()), ("link", "go on"));
        assert_eq!(found[0].target.as_deref(), Some("/x"));
        assert_eq!((found[1].role.as_str(), found[1].label.as_str(), found[1].is_field()), ("button", "Send", false));
        assert_eq!((found[2].role.as_str(), found[2].name.as_str(), found[2].is_field()), ("textbox", "mail", true));
    }

    #[test]
    fn markup_is_tags_and_texts_only() {
        let page = Page::of_html("<div id=a class=b><p>one</p></div><p>two</p>");
        assert_eq!(page.markup(), "<html><body><div><p>one</p></div><p>two</p></body></html>");
    }

    #[test]
    fn a_document_may_be_nested_deeply() {
        let html = "<div>".repeat(2_000);
        assert_eq!(Page::of_html(&html).elements.len(), 2_002);
    }
}
