//! Descriptors, locators and geometry.

use crate::error::{Error, required};
use crate::v1;
use domain::locator::Position;
use domain::{Descriptor, Locator, Point, Rect};

impl From<&Descriptor> for v1::Descriptor {
    fn from(descriptor: &Descriptor) -> Self {
        let Descriptor { locators, matches, role, name, tag, context, bounds, frames, address, place } = descriptor;
        Self {
            locators: locators.iter().map(Into::into).collect(),
            matches: matches.iter().map(|position| v1::Position { index: position.index, of: position.of }).collect(),
            role: role.clone(),
            name: name.clone(),
            tag: tag.clone(),
            context: context.clone(),
            bounds: Some(v1::Rect { x: bounds.x, y: bounds.y, width: bounds.width, height: bounds.height }),
            frames: frames.clone(),
            address: address.clone(),
            place: place.clone(),
        }
    }
}

impl TryFrom<v1::Descriptor> for Descriptor {
    type Error = Error;

    fn try_from(message: v1::Descriptor) -> Result<Self, Error> {
        let bounds = required(message.bounds, "descriptor.bounds")?;
        Ok(Self {
            locators: message.locators.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            matches: message.matches.into_iter().map(|it| Position { index: it.index, of: it.of }).collect(),
            role: message.role,
            name: message.name,
            tag: message.tag,
            context: message.context,
            bounds: Rect { x: bounds.x, y: bounds.y, width: bounds.width, height: bounds.height },
            frames: message.frames,
            address: message.address,
            place: message.place,
        })
    }
}

impl From<&Locator> for v1::Locator {
    fn from(locator: &Locator) -> Self {
        use v1::locator::By;
        let by = match locator.clone() {
            Locator::Role { role, name } => By::Role(v1::RoleLocator { role, name }),
            Locator::TestId { attribute, value } => By::TestId(v1::TestIdLocator { attribute, value }),
            Locator::Label { text } => By::Label(text),
            Locator::Text { tag, text } => By::Text(v1::TextLocator { tag, text }),
            Locator::Css { selector } => By::Css(selector),
            Locator::XPath { path } => By::Xpath(path),
        };
        Self { by: Some(by) }
    }
}

impl TryFrom<v1::Locator> for Locator {
    type Error = Error;

    fn try_from(message: v1::Locator) -> Result<Self, Error> {
        use v1::locator::By;
        Ok(match required(message.by, "locator.by")? {
            By::Role(v1::RoleLocator { role, name }) => Locator::Role { role, name },
            By::TestId(v1::TestIdLocator { attribute, value }) => Locator::TestId { attribute, value },
            By::Label(text) => Locator::Label { text },
            By::Text(v1::TextLocator { tag, text }) => Locator::Text { tag, text },
            By::Css(selector) => Locator::Css { selector },
            By::Xpath(path) => Locator::XPath { path },
        })
    }
}

impl From<Point> for v1::Point {
    fn from(point: Point) -> Self {
        Self { x: point.x, y: point.y }
    }
}

impl From<v1::Point> for Point {
    fn from(message: v1::Point) -> Self {
        Self { x: message.x, y: message.y }
    }
}
