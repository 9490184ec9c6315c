//! Every text of an observation that a page has a say in, for what is done with all of them. Structs are taken apart in full, so that no
//! new field is forgotten.

use crate::observation::Constraints;
use crate::{Fault, Node, Observation};

impl Observation {
    /// Visits every text.
    pub fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Observation {
            stamp: _,
            url,
            title,
            description,
            language,
            nodes,
            frames,
            viewport: _,
            dialog,
            tabs,
            faults,
            requests,
            downloads,
            settled: _,
            truncated: _,
            unread,
            open_requests,
        } = self;
        [url, title, description, language].into_iter().for_each(&mut *visit);
        nodes.iter_mut().for_each(|node| node.each_text(visit));
        for frame in frames {
            visit(&mut frame.url);
            visit(&mut frame.xpath);
        }
        tabs.iter_mut().for_each(|tab| visit(&mut tab.url));
        dialog.iter_mut().for_each(|dialog| visit(&mut dialog.message));
        let open = open_requests.iter_mut().map(|open| &mut open.request);
        requests.iter_mut().chain(open).for_each(|request| visit(&mut request.url));
        unread.iter_mut().for_each(|part| visit(&mut part.at));
        downloads.iter_mut().for_each(&mut *visit);
        faults.iter_mut().for_each(|fault| fault.each_text(visit));
    }
}

impl Fault {
    /// Visits every text.
    pub fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Fault { category: _, message, source, line: _, first_party: _ } = self;
        visit(message);
        visit(source);
    }
}

impl Node {
    /// Visits every text.
    pub fn each_text(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let Node {
            parent: _,
            frame: _,
            role,
            tag,
            name,
            text,
            value,
            attributes,
            states: _,
            bounds: _,
            visibility: _,
            operations: _,
            interactive_by: _,
            options,
            constraints,
            context,
            xpath,
            in_shadow: _,
            color: _,
            is_item: _,
            icon,
        } = self;
        [icon, role, tag, name, text, context, xpath].into_iter().for_each(&mut *visit);
        value.iter_mut().for_each(&mut *visit);
        attributes.iter_mut().for_each(|(_, text)| visit(text));
        for option in options {
            visit(&mut option.label);
            visit(&mut option.value);
        }
        if let Some(constraints) = constraints {
            let Constraints {
                required: _,
                pattern,
                min,
                max,
                step,
                min_length: _,
                max_length: _,
                autocomplete,
                accept,
                validation_message,
            } = constraints.as_mut();
            let texts = [pattern, min, max, step, autocomplete, accept, validation_message];
            texts.into_iter().flatten().for_each(visit);
        }
    }
}
