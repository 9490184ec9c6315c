//! Files that pages offer for download, of a profile that keeps them. Those of the site were kept by the gate; those that a page made
//! itself are read from the page.

use super::Profile;
use crate::gate::keeping::LARGEST;
use crate::wire::{DocumentTarget, OfferedFile};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::page::Download;
use serde_json::{Value, json};

/// Files of one profile; a page could offer them without end.
const FILES: usize = 50;

/// Remembers what a page makes addresses of: it forgets them itself as soon as the browser has begun the download.
pub(crate) const REMEMBER: &str = "() => {
    const made = new Map(), create = URL.createObjectURL, set = Map.prototype.set, drop = Map.prototype.delete;
    const keys = Map.prototype.keys, get = Map.prototype.get, call = Function.prototype.call.bind(Function.prototype.call);
    URL.createObjectURL = function createObjectURL(thing) {
        const url = call(create, this, thing);
        if (thing instanceof Blob) {
            call(set, made, url, thing);
            if (made.size > 16) call(drop, made, call(keys, made).next().value);
        }
        return url;
    };
    const read = (url, largest) => {
        const thing = call(get, made, url);
        if (!thing || thing.size > largest) return JSON.stringify({ size: thing ? thing.size : null });
        return new Promise((done) => {
            const reader = new FileReader();
            reader.onloadend = () => done(JSON.stringify({ data: String(reader.result) }));
            reader.readAsDataURL(thing);
        });
    };
    Object.defineProperty(window, 'rutter files', { value: { read }, enumerable: false });
}";

const READ: &str = "(url, largest) => window['rutter files'] ? window['rutter files'].read(url, largest) : '{}'";

impl Profile {
    /// Notes what was offered, and reads what only the page has: it may be another page soon.
    pub(super) async fn note_files(&mut self, offered: &[OfferedFile]) {
        if !self.options.downloads {
            return;
        }
        for OfferedFile { name, url } in offered {
            if self.files.len() == FILES {
                tracing::warn!(name, "a page offers more files than are kept");
                return;
            }
            let content = match url.split_once(':') {
                Some(("data", _)) => Some(of_data(url)),
                Some(("blob", _)) => Some(self.of_page(url).await),
                _ => None,
            };
            let url = if content.is_some() { String::new() } else { url.clone() };
            self.files.push((Download { name: name.clone(), url: url.clone(), content: Ok(Vec::new()) }, content));
        }
    }

    /// The files that pages offered since this was last asked.
    pub(super) async fn take_files(&mut self) -> Vec<Download> {
        let mut files = Vec::new();
        for (mut file, content) in std::mem::take(&mut self.files) {
            let content = match content {
                Some(content) => content,
                None => match self.gate.keeper() {
                    Some(keeper) => keeper.file(&file.url).await,
                    None => Err("it was not kept".to_owned()),
                },
            };
            file.content = content.and_then(|bytes| self.without_secrets(bytes));
            self.secrets.clean(&mut file.name);
            self.secrets.clean(&mut file.url);
            files.push(file);
        }
        files
    }

    async fn of_page(&mut self, url: &str) -> Result<Vec<u8>, String> {
        let read = self.wire.call(&DocumentTarget::Page, READ, &[json!(url), json!(LARGEST)]).await;
        let answer: Value = read.ok().and_then(|answer| serde_json::from_str(&answer).ok()).unwrap_or_default();
        match (answer["data"].as_str(), answer["size"].as_u64()) {
            (Some(data), _) => of_data(data),
            (None, Some(size)) => Err(format!("it has {size} bytes, and at most {LARGEST} are kept")),
            (None, None) => Err("the page that made it could not be asked for it".to_owned()),
        }
    }

    /// A file is kept whole or not at all: one that shows a secret, or in which none could be seen, is not.
    fn without_secrets(&self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        if self.secrets.is_empty() {
            return Ok(bytes);
        }
        let text = String::from_utf8(bytes).map_err(|_| {
            "it is no text, so that nobody can say whether a secret of the task stands in it".to_owned()
        })?;
        match self.secrets.shows(&[&text]).contains(&true) {
            true => Err("it shows a secret of the task".to_owned()),
            false => Ok(text.into_bytes()),
        }
    }
}

/// The content of a `data:` address (RFC 2397).
fn of_data(url: &str) -> Result<Vec<u8>, String> {
    let (kind, data) = url.split_once(',').ok_or("its address says nothing")?;
    let plain = percent_decoded(data);
    match kind.ends_with(";base64") {
        true => BASE64_STANDARD.decode(&plain).map_err(|error| format!("its address cannot be read: {error}")),
        false => Ok(plain),
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    percent_encoding::percent_decode_str(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_its_own_address_is_read_from_it() {
        assert_eq!(of_data("data:text/csv,a%3Bb").unwrap(), b"a;b");
        assert_eq!(of_data("data:text/plain;charset=utf-8;base64,aGVsbG8=").unwrap(), b"hello");
        assert!(of_data("data:nothing").is_err() && of_data("data:x;base64,???").is_err());
    }
}
