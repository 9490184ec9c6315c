//! Observations as bytes, with no message made of them first: they are large and sent with every question, and a message
//! would copy each of their texts.
//!
//! What is sent is the same as with messages, which tests make sure of.

use super::observation::{interactive, surface};
use crate::v1;
use domain::observation::{SelectOption, States};
use domain::{Node, Observation, Rect};
use prost::Message;
use prost::encoding::{WireType, bool, encode_key, encode_varint, int32, message, string, uint32};

/// Number of [`v1::Observation::nodes`].
const NODES: u32 = 6;

/// Bytes that a node takes, about.
const NODE_BYTES: usize = 224;

/// Bytes of a length that is not known yet.
const LENGTH: usize = 5;

/// Appends a field that holds an observation with these of its nodes.
pub(super) fn observation<'n>(
    tag: u32,
    seen: &Observation,
    nodes: impl ExactSizeIterator<Item = &'n Node>,
    out: &mut Vec<u8>,
) {
    out.reserve(nodes.len() * NODE_BYTES);
    nested(tag, out, |out| {
        surface(seen).encode_raw(out);
        for described in nodes {
            nested(NODES, out, |out| node(described, out));
        }
    });
}

/// Appends a field whose content is written where it stays: its length comes before it, in as many bytes as any could need.
fn nested(tag: u32, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    encode_key(tag, WireType::LengthDelimited, out);
    let place = out.len();
    out.extend_from_slice(&[0; LENGTH]);
    content(out);
    let mut length = out.len() - place - LENGTH;
    for (number, byte) in out[place..place + LENGTH].iter_mut().enumerate() {
        let goes_on = if number + 1 < LENGTH { 0x80 } else { 0 };
        *byte = (length & 0x7f) as u8 | goes_on;
        length >>= 7;
    }
}

/// An entry of a map.
fn attribute(tag: u32, name: &String, value: &String, out: &mut Vec<u8>) {
    let parts = [(1, name), (2, value)];
    let parts = parts.iter().filter(|(_, text)| !text.is_empty());
    let length: usize = parts.clone().map(|(tag, text)| string::encoded_len(*tag, text)).sum();
    encode_key(tag, WireType::LengthDelimited, out);
    encode_varint(length as u64, out);
    parts.for_each(|(tag, text)| string::encode(*tag, text, out));
}

/// The fields of a [`v1::Node`]; those of no content are left out, as everywhere.
fn node(described: &Node, out: &mut Vec<u8>) {
    let Node {
        parent,
        frame,
        role,
        tag,
        name,
        text,
        value,
        attributes,
        states,
        bounds,
        visibility,
        operations,
        interactive_by,
        options,
        constraints,
        context,
        xpath,
        in_shadow,
        color,
        is_item,
        icon,
    } = described;
    if let Some(parent) = parent {
        uint32::encode(1, &parent.0, out);
    }
    if *frame != 0 {
        uint32::encode(2, frame, out);
    }
    for (tag, text) in [(3, role), (4, tag), (5, name), (6, text), (16, context), (17, xpath), (21, icon)] {
        if !text.is_empty() {
            string::encode(tag, text, out);
        }
    }
    for (tag, text) in [(7, value), (19, color)] {
        if let Some(text) = text {
            string::encode(tag, text, out);
        }
    }
    for (name, value) in attributes {
        attribute(8, name, value, out);
    }
    if *states != States::default() {
        message::encode(9, &v1::States::from(states), out);
    }
    let Rect { x, y, width, height } = *bounds;
    message::encode(10, &v1::Rect { x, y, width, height }, out);
    int32::encode(11, &v1::Visibility::from(*visibility).into(), out);
    let operations: Vec<i32> = operations.iter().map(|kind| v1::ActionKind::from(*kind).into()).collect();
    int32::encode_packed(12, &operations, out);
    if interactive_by.is_some() {
        int32::encode(13, &interactive(*interactive_by).into(), out);
    }
    for SelectOption { label, value, selected } in options {
        let option = v1::SelectOption { label: label.clone(), value: value.clone(), selected: *selected };
        message::encode(14, &option, out);
    }
    if let Some(constraints) = constraints {
        message::encode(15, &v1::Constraints::from(constraints.as_ref()), out);
    }
    for (tag, flag) in [(18, in_shadow), (20, is_item)] {
        if *flag {
            bool::encode(tag, flag, out);
        }
    }
}
