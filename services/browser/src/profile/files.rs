//! Files that pages offer for download, of a profile that keeps them. Those of the site were kept by the gate; those that a page made
//! itself are read from the page.

use super::Profile;
use crate::gate::keeping::{BUDGET, LARGEST};
use crate::wire::{DocumentTarget, OfferedFile};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::page::Download;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::time::Duration;

/// Files of one profile that are kept. Ten times as many are told of, and no more: a page could offer them without end.
const FILES: usize = 50;

/// Remembers what a page makes addresses of: it forgets them itself as soon as the browser has begun the download.
pub(crate) const REMEMBER: &str = "() => {
    const made = new Map(), create = URL.createObjectURL, set = Map.prototype.set, drop = Map.prototype.delete;
    const keys = Map.prototype.keys, get = Map.prototype.get, call = Function.prototype.call.bind(Function.prototype.call);
    const next = Object.getPrototypeOf(new Map().keys()).next, text = JSON.stringify, Later = Promise, Reader = FileReader;
    const sizeOf = Object.getOwnPropertyDescriptor(Blob.prototype, 'size').get, isBlob = Blob[Symbol.hasInstance].bind(Blob);
    const readOut = FileReader.prototype.readAsDataURL, countOf = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
    const resultOf = Object.getOwnPropertyDescriptor(FileReader.prototype, 'result').get, listen = EventTarget.prototype.addEventListener;
    URL.createObjectURL = function createObjectURL(thing) {
        const url = call(create, this, thing);
        if (isBlob(thing)) {
            call(set, made, url, thing);
            if (call(countOf, made) > 16) call(drop, made, call(next, call(keys, made)).value);
        }
        return url;
    };
    const read = (url, largest) => {
        const thing = call(get, made, url);
        if (!thing || call(sizeOf, thing) > largest) return text({ size: thing ? call(sizeOf, thing) : null });
        return new Later((done) => {
            const reader = new Reader();
            call(listen, reader, 'loadend', () => done(text({ data: '' + call(resultOf, reader) })));
            call(readOut, reader, thing);
        });
    };
    Object.defineProperty(window, 'rutter files', { value: { read }, enumerable: false });
}";

/// How long a page may take to give what it made.
const PATIENCE: Duration = Duration::from_secs(10);

const READ: &str = "(url, largest) => window['rutter files'] ? window['rutter files'].read(url, largest) : '{}'";

/// A file that a page offered.
pub(super) struct Offered {
    name: String,
    /// Where it comes from; empty for what is its own address or was made by the page.
    url: String,
    /// What did not come through the gate, or why it is not kept.
    content: Option<Result<Vec<u8>, String>>,
}

impl Profile {
    /// Notes what was offered, and reads what only the page has: it may be another page soon.
    pub(super) async fn note_files(&mut self, offered: &[OfferedFile]) {
        if !self.options.downloads {
            return;
        }
        for OfferedFile { name, url } in offered {
            match self.files.len() {
                so_many if so_many > 10 * FILES => return,
                so_many if so_many >= FILES => {
                    let told = Err("more files were offered than are kept".to_owned());
                    self.files.push(Offered { name: name.clone(), url: url.clone(), content: Some(told) });
                    continue;
                }
                _ => {}
            }
            let content = match url.split_once(':') {
                Some(("data", _)) => Some(self.within_budget(of_data(url))),
                Some(("blob", _)) => {
                    let made = self.of_page(url).await;
                    Some(self.within_budget(made))
                }
                _ => None,
            };
            let url = if content.is_some() { String::new() } else { url.clone() };
            self.files.push(Offered { name: name.clone(), url, content });
        }
    }

    /// The files that pages offered since this was last asked.
    pub(super) async fn take_files(&mut self) -> Vec<Download> {
        // What began after the last look is told of as well.
        if self.options.downloads
            && let Ok(activity) = self.wire.take_activity().await
        {
            self.note_files(&activity.downloads).await;
        }
        let mut files = Vec::new();
        let mut bytes = 0;
        for Offered { mut name, mut url, content } in std::mem::take(&mut self.files) {
            let content = match content {
                Some(content) => content,
                None => match self.gate.keeper() {
                    Some(keeper) => keeper.file(&url).await,
                    None => Err("it was not kept".to_owned()),
                },
            };
            let content = content.and_then(|content| {
                bytes += content.len();
                if bytes > BUDGET {
                    Err(format!("the attempt was offered more than {BUDGET} bytes"))
                } else {
                    Ok(content)
                }
            });
            let content = content.and_then(|content| self.without_secrets(content));
            self.secrets.clean(&mut name);
            self.secrets.clean(&mut url);
            files.push(Download { name, url, content });
        }
        files
    }

    /// What a page made is held here until the attempt ends.
    fn within_budget(&self, content: Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
        let held =
            self.files.iter().filter_map(|file| file.content.as_ref()?.as_ref().ok()).map(Vec::len).sum::<usize>();
        content.and_then(|content| match held + content.len() > BUDGET {
            true => Err(format!("the attempt was offered more than {BUDGET} bytes")),
            false => Ok(content),
        })
    }

    async fn of_page(&mut self, url: &str) -> Result<Vec<u8>, String> {
        let arguments = [json!(url), json!(LARGEST)];
        let read = self.wire.call_within(&DocumentTarget::Page, READ, &arguments, PATIENCE).await;
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
        let is_sign = |sign: char| !sign.is_control() || matches!(sign, '\n' | '\r' | '\t');
        let text = String::from_utf8(bytes).ok().filter(|text| text.chars().all(is_sign) && !text.starts_with("%PDF"));
        let text =
            text.ok_or("it is no plain text, so that nobody can say whether a secret of the task stands in it")?;
        match self.secrets.shows(&[&text]).contains(&true) {
            true => Err("it shows a secret of the task".to_owned()),
            false => Ok(text.into_bytes()),
        }
    }
}

/// The content of a `data:` address (RFC 2397).
fn of_data(url: &str) -> Result<Vec<u8>, String> {
    if url.len() > LARGEST / 3 * 4 + 1024 {
        return Err(format!("it has more than {LARGEST} bytes"));
    }
    let (kind, data) = url.split_once(',').ok_or("its address says nothing")?;
    let plain: Vec<u8> = percent_decode_str(data).collect();
    match kind.ends_with(";base64") {
        true => BASE64_STANDARD.decode(&plain).map_err(|error| format!("its address cannot be read: {error}")),
        false => Ok(plain),
    }
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
