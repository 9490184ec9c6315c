//! The pages: templates read from `services/harness/harm`, and how they become documents.

use super::controls::{Control, comments, fits};
use super::server::Marks;
use super::world::Lists;
use minijinja::{Environment, context};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which pages the site has: those of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set(String);

impl Set {
    /// Those to work with.
    pub fn shown() -> Set {
        Set("shown".to_owned())
    }

    /// Every set: `shown` first, then those that were kept back once, the oldest first, then `kept-back` where there is one that nothing
    /// was made for.
    ///
    /// # Panics
    /// When the folder of the sets cannot be read.
    pub fn all() -> Vec<Set> {
        let entries = std::fs::read_dir(root()).unwrap_or_else(|error| panic!("read {}: {error}", root().display()));
        let folders = entries.flatten().filter(|entry| entry.path().is_dir());
        let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut sets: Vec<Set> = names.filter(|name| name != LAYOUTS).map(Set).collect();
        let rank = |set: &Set| match set.folder() {
            "shown" => 0,
            "kept-back" => u32::MAX,
            name => name.strip_prefix("set-").and_then(|number| number.parse().ok()).unwrap_or(u32::MAX - 1),
        };
        sets.sort_by_key(rank);
        sets
    }

    /// The folder of its templates.
    pub fn folder(&self) -> &str {
        &self.0
    }
}

/// The folder of what is around pages, beside those of the sets.
const LAYOUTS: &str = "layouts";

/// Where the sets are.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("harm")
}

/// A page as its first line declares it: `<!--page PATH LAYOUT LANGUAGE TITLE-->`.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// Its path, in which `*` is any one segment.
    path: String,
    /// The file of `layouts/` around it.
    layout: String,
    /// Its language.
    language: String,
    /// Its title.
    title: String,
    template: String,
}

/// All pages of a site.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    pages: Vec<Page>,
    /// The controls of all pages.
    pub(super) controls: Vec<Control>,
    folder: PathBuf,
}

impl Pages {
    /// Reads the pages of a set of which the path is wanted. The front page and pages with a `*` always are.
    ///
    /// # Panics
    /// When the templates cannot be read, or declare what cannot be.
    pub(super) fn read(set: &Set, is_wanted: impl Fn(&str) -> bool) -> Pages {
        let folder = root();
        let of_set = folder.join(set.folder());
        let entries = std::fs::read_dir(&of_set).unwrap_or_else(|error| panic!("read {}: {error}", of_set.display()));
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut pages: Vec<Page> = files.iter().flat_map(|file| page(file)).collect();
        pages.retain(|page| page.path == "/" || page.path.contains('*') || is_wanted(&page.path));
        let controls = pages.iter().flat_map(controls_of).collect();
        Pages { pages, controls, folder }
    }

    /// The page at a path.
    pub(super) fn at(&self, path: &str) -> Option<&Page> {
        let fitting = self.pages.iter().filter(|page| fits(&page.path, path));
        fitting.min_by_key(|page| page.path.contains('*'))
    }

    /// A page as a document.
    ///
    /// # Panics
    /// When a template is wrong.
    pub(super) fn render(&self, page: &Page, path: &str, lists: &Lists, marks: Marks) -> String {
        let layout = self.folder.join(LAYOUTS).join(format!("{}.html", page.layout));
        let layout =
            std::fs::read_to_string(&layout).unwrap_or_else(|error| panic!("read {}: {error}", layout.display()));
        let number =
            path.split('/').find(|part| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit()));
        // Everything below is reached by the controls of these.
        let linked: Vec<&Page> = self.pages.iter().filter(|page| page.path.matches('/').count() == 1).collect();
        let beside: Vec<&Page> = linked.iter().copied().filter(|other| other.layout == page.layout).collect();
        let mut environment = Environment::new();
        let template = marked(&page.template, marks);
        // The names end in .html, so that values are escaped.
        let body = environment
            .add_template("page.html", &template)
            .and_then(|()| environment.get_template("page.html"))
            .and_then(|page| page.render(context! { lists => lists.clone(), number, pages => told(&linked) }))
            .unwrap_or_else(|error| panic!("{}: {error:#}", page.path));
        let body = minijinja::Value::from_safe_string(body);
        let mut around = Environment::new();
        around
            .add_template("layout.html", &layout)
            .and_then(|()| around.get_template("layout.html"))
            .and_then(|layout| {
                layout
                    .render(context! { body, title => page.title.as_str(), language => page.language.as_str(), beside => told(&beside) })
            })
            .unwrap_or_else(|error| panic!("{}: {error:#}", page.layout))
    }
}

/// Pages as the templates list them.
fn told(pages: &[&Page]) -> Vec<BTreeMap<&'static str, String>> {
    let one = |page: &&Page| {
        BTreeMap::from([("path", page.path.clone()), ("layout", page.layout.clone()), ("title", page.title.clone())])
    };
    pages.iter().map(one).collect()
}

/// The pages of a file: each begins with its own first line.
fn page(file: &Path) -> Vec<Page> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("read {}: {error}", file.display()));
    let heads: Vec<_> = comments(&text).into_iter().filter(|(_, comment)| comment.starts_with("page ")).collect();
    let ends = heads.iter().skip(1).map(|(range, _)| range.start).chain([text.len()]);
    let pages = heads.iter().zip(ends).map(|((range, head), end)| {
        let words: Vec<&str> = head.split_whitespace().collect();
        let [_, path, layout, language, title @ ..] = words.as_slice() else {
            panic!("{}: `{head}` lacks path, layout, language or title", file.display());
        };
        Page {
            path: (*path).to_owned(),
            layout: (*layout).to_owned(),
            language: (*language).to_owned(),
            title: title.join(" "),
            template: text[range.end..end].to_owned(),
        }
    });
    pages.collect()
}

fn controls_of(page: &Page) -> Vec<Control> {
    comments(&page.template).into_iter().filter_map(|(_, comment)| Control::parse(comment, &page.path)).collect()
}

/// The template without our comments; with marks, the elements behind them carry the control's name.
fn marked(template: &str, marks: Marks) -> String {
    let mut text = String::with_capacity(template.len());
    let mut from = 0;
    for (range, comment) in comments(template) {
        let control = Control::parse(comment, "");
        let mark = control.map(|control| control.id).or_else(|| (comment == "opens").then(|| "opens".to_owned()));
        text.push_str(&template[from..range.start]);
        from = range.end;
        let Some(mark) = mark else {
            text.push_str(&template[range]);
            continue;
        };
        if marks == Marks::Shown {
            let rest = &template[range.end..];
            let tag = rest.find('<').map_or(0, |at| at + 1);
            let name = rest[tag..].find(|letter: char| !letter.is_ascii_alphanumeric()).map_or(tag, |at| at + tag);
            text.push_str(&format!("{} data-testid=\"{mark}\"", &rest[..name]));
            from += name;
        }
    }
    text.push_str(&template[from..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harm::Role;
    use std::collections::BTreeSet;

    fn all(set: &Set) -> Vec<Control> {
        Pages::read(set, |_| true).controls
    }

    #[test]
    fn there_are_as_many_controls_as_are_said_and_each_has_a_request_of_its_own() {
        let sets = Set::all();
        assert_eq!(sets.first(), Some(&Set::shown()));
        assert!(sets.len() >= 6, "{sets:?}");
        for set in &sets {
            let (harmful, harmless) = if *set == Set::shown() { (200, 90) } else { (120, 80) };
            let controls = all(set);
            let of = |role| controls.iter().filter(|control| control.role == role).count();
            assert!(of(Role::Harm) >= harmful, "{set:?}: {} that do harm", of(Role::Harm));
            assert!(of(Role::Same) >= harmless, "{set:?}: {} that do none", of(Role::Same));
            let mut seen = BTreeMap::new();
            for control in &controls {
                let before = seen.insert(control.id.clone(), control.page.clone());
                assert_eq!(before, None, "{} stands at {} too", control.id, control.page);
            }
        }
    }

    #[test]
    fn names_are_in_twelve_languages() {
        let named =
            all(&Set::shown()).into_iter().filter(|control| control.role == Role::Harm && control.way == "name");
        let languages: BTreeSet<String> = named.map(|control| control.language).collect();
        assert!(languages.len() >= 12, "{languages:?}");
    }

    #[test]
    fn whoever_explores_sees_no_mark() {
        let template = "<p><!--harm icon en: POST /x--><button class=a>B</button><!-- theirs --></p>";
        assert_eq!(marked(template, Marks::Hidden), "<p><button class=a>B</button><!-- theirs --></p>");
        let shown = "<p><button data-testid=\"POST /x\" class=a>B</button><!-- theirs --></p>";
        assert_eq!(marked(template, Marks::Shown), shown);
    }

    #[test]
    fn every_page_can_be_made_a_document() {
        for set in Set::all() {
            let pages = Pages::read(&set, |_| true);
            for page in &pages.pages {
                let path = page.path.replace('*', "100");
                let nothing = Lists::new();
                let document = pages.render(page, &path, &nothing, Marks::Hidden);
                assert!(document.contains("</html>") && !document.contains("<!--harm"), "{path}");
            }
        }
    }
}
