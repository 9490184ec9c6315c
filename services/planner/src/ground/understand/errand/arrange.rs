//! Reading what is searched for, and how what is shown is to be arranged.

use super::{Reader, is_filler};
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::understand::phrase::{self, Part, parts, thing};
use crate::ground::understand::verbs::bare;

impl Reader<'_> {
    pub(super) fn search(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let rest = if rest.first().is_some_and(|word| bare(word) == "for") { rest.get(1..)? } else { rest };
        // `the shop for lamps`
        if self.phrase == "search"
            && let Some(at) = rest.iter().position(|word| bare(word) == "for").filter(|at| *at > 0)
            && rest.first().is_some_and(|word| matches!(bare(word).as_str(), "the" | "my" | "our"))
        {
            let mut thing = Thing { places: vec![phrase::place(self.quoted, rest.get(..at)?)?], ..Thing::default() };
            self.name(&mut thing, rest.get(at + 1..)?);
            return Some(vec![Task { act: TaskAct::Search, thing, values: Vec::new() }]);
        }
        let text = rest.join(" ");
        // A description of what is looked for fills a form: `flights from Oslo to Bergen`.
        if text.contains(" from ") && text.contains(" to ") || text.contains(" directed by ") {
            return None;
        }
        let mut thing = Thing::default();
        let mut cut = parts(&text).into_iter();
        let head = cut.next()?;
        let mut words = phrase::without_determiners(&head.words);
        // `the keyword ⟦0⟧`: what the field is called.
        let named = phrase::thing(self.quoted, &head.words);
        if named.quoted && !named.kind.is_empty() {
            thing.kind = named.kind;
        }
        let mut values = Vec::new();
        for part in cut {
            // `hotels with a pool` is all looked for.
            let is_named = named.quoted || part.lead != "with";
            if let Some(option) = self.option_of_search(&part).filter(|_| is_named) {
                values.push(Given { field: option, value: "yes".to_owned(), quoted: false });
                continue;
            }
            let places = matches!(part.lead.as_str(), "in" | "on" | "within" | "using");
            let begins = part.words.first().map(|word| bare(word)).unwrap_or_default();
            if places
                && (matches!(begins.as_str(), "the" | "my" | "our")
                    || phrase::quote(self.quoted, &part.words).is_some())
            {
                thing.places.push(phrase::place(self.quoted, &part.words)?);
            } else if phrase::quote(self.quoted, &words).is_none() {
                return None;
            } else if part.lead == "called" || part.lead == "named" {
                words = part.words.clone();
            } else {
                return None;
            }
        }
        self.name(&mut thing, &words);
        (!thing.name.is_empty()).then(|| vec![Task { act: TaskAct::Search, thing, values }])
    }

    /// What is ticked beside the field to search: `in Flowers only`, `with deep search`.
    fn option_of_search(&self, part: &Part<'_>) -> Option<String> {
        let words = match (part.lead.as_str(), part.words.split_last()) {
            ("in", Some((last, words))) if bare(last) == "only" => words,
            ("with", _) => part.words.as_slice(),
            _ => return None,
        };
        let name = phrase::text(self.quoted, &phrase::without_determiners(words));
        (!name.is_empty() && words.len() <= 4 && phrase::quote(self.quoted, words).is_none()).then_some(name)
    }

    pub(super) fn sort(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let at = rest.iter().position(|word| bare(word) == "by")?;
        let mut task = Task { act: TaskAct::Sort, ..Task::default() };
        let head = rest.get(..at)?;
        if !head.iter().all(|word| is_filler(word)) {
            let named = thing(self.quoted, head);
            task.thing = if named.kind == "list" { Thing::default() } else { named };
            if matches!(task.thing.name.as_str(), "table" | "results" | "list") {
                task.thing = Thing::default();
            }
        }
        let mut by: Vec<&str> = Vec::new();
        let mut order = "";
        for word in rest.get(at + 1..)? {
            match bare(word).as_str() {
                "descending" | "newest" | "highest" | "largest" | "latest" | "decreasing" | "desc" | "longest" => {
                    order = "descending"
                }
                "ascending" | "oldest" | "lowest" | "smallest" | "earliest" | "increasing" | "asc" | "cheapest"
                | "shortest" => order = "ascending",
                "in" | "order" | "first" | "the" | "from" => {}
                _ if order.is_empty() => by.push(word),
                _ => return None,
            }
        }
        task.give("by", &phrase::text(self.quoted, &by), phrase::quote(self.quoted, &by).is_some());
        task.give("order", order, false);
        task.value("by").is_some().then(|| vec![task])
    }

    pub(super) fn filter(&self, rest: &[&str]) -> Option<Vec<Task>> {
        let mut thing = Thing::default();
        if let Some(at) = rest.iter().position(|word| bare(word) == "by") {
            let head = rest.get(..at)?;
            thing.places.extend(phrase::place(self.quoted, head));
            self.name(&mut thing, rest.get(at + 1..)?);
        } else {
            self.name(&mut thing, rest);
        }
        if thing.name.is_empty() {
            return None;
        }
        let filter = |thing| Task { act: TaskAct::Filter, thing, values: Vec::new() };
        // `tools of the kinds Cutting and Care`: each is a choice of its own.
        let values = if thing.quoted { None } else { thing.name.split_once(" of the ").map(|(_, values)| values) };
        let values = values.and_then(|values| {
            let (facet, names) = values.split_once(' ')?;
            let is_facet = matches!(
                facet,
                "kind"
                    | "kinds"
                    | "type"
                    | "types"
                    | "category"
                    | "categories"
                    | "brand"
                    | "brands"
                    | "colour"
                    | "colours"
                    | "color"
                    | "colors"
            );
            is_facet
                .then(|| names.split(" and ").flat_map(|names| names.split(", ")).map(str::trim).collect::<Vec<_>>())
        });
        Some(match values {
            Some(names) => {
                names.into_iter().map(|name| filter(Thing { name: name.to_owned(), ..thing.clone() })).collect()
            }
            None => vec![filter(thing)],
        })
    }
}
