//! The dialect of Anthropic messages.

use super::asked::{ChatMessage, Dialect, ModelRequest};
use super::strict::{Check, Object, png, schema, turns};
use serde_json::{Value, json};

const FIELDS: [&str; 7] = ["model", "system", "messages", "stream", "temperature", "max_tokens", "output_config"];

pub(super) fn check(body: &Value) -> Check<ModelRequest> {
    let request = Object::new(body, "body", &FIELDS)?;
    request.no_stream()?;
    let config = Object::new(request.get("output_config")?, "output_config", &["format"])?;
    let format = Object::new(config.get("format")?, "output_config.format", &["type", "schema"])?;
    format.literal("type", "json_schema")?;
    let reply = format.get("schema")?;
    schema(reply, "output_config.format.schema", false)?;
    let messages = conversation(request.list("messages")?)?;
    Ok(ModelRequest {
        dialect: Dialect::Anthropic,
        model: request.text("model")?.to_owned(),
        job: None,
        step: None,
        system: system(request.get("system")?)?,
        messages,
        schema: reply.clone(),
        temperature: request.number("temperature", 0.0, 1.0)?,
        seed: None,
        max_tokens: request.limit("max_tokens")?,
    })
}

fn system(value: &Value) -> Check<String> {
    if let Some(text) = value.as_str() {
        return Ok(text.to_owned());
    }
    let blocks = value.as_array().ok_or("system: expected a string or an array")?;
    let texts = blocks.iter().map(|block| {
        let block = Object::new(block, "system[]", &["type", "text"])?;
        block.literal("type", "text")?;
        block.text("text")
    });
    Ok(texts.collect::<Check<Vec<_>>>()?.join("\n"))
}

fn conversation(messages: &[Value]) -> Check<Vec<ChatMessage>> {
    let mut said = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let message = Object::new(message, &at, &["role", "content"])?;
        let by_model = match message.text("role")? {
            "user" => false,
            "assistant" => true,
            other => return Err(format!("{at}.role: unknown `{other}`")),
        };
        let (text, pictures) = content(message.get("content")?, &at)?;
        said.push(ChatMessage { by_model, text, pictures });
    }
    turns(&said.iter().map(|said| said.by_model).collect::<Vec<_>>(), "messages")?;
    Ok(said)
}

fn content(content: &Value, at: &str) -> Check<(String, Vec<(u32, u32)>)> {
    if let Some(text) = content.as_str() {
        return Ok((text.to_owned(), Vec::new()));
    }
    let parts = content.as_array().ok_or_else(|| format!("{at}.content: expected a string or an array"))?;
    let (mut texts, mut pictures) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}.content[{index}]");
        let part = Object::new(part, &at, &["type", "text", "source"])?;
        match part.text("type")? {
            "text" => texts.push(part.text("text")?.to_owned()),
            "image" => {
                let source = Object::new(part.get("source")?, &at, &["type", "media_type", "data"])?;
                source.literal("type", "base64")?;
                source.literal("media_type", "image/png")?;
                pictures.push(png(source.text("data")?, &at)?);
            }
            other => return Err(format!("{at}.type: unknown `{other}`")),
        }
    }
    Ok((texts.join("\n"), pictures))
}

/// The body of an answer. `end` is `stop`, `length` or `refusal`.
pub(super) fn answer(asked: &ModelRequest, text: &str, end: &str, prompt: u64, completion: u64) -> Value {
    let reason = match end {
        "length" => "max_tokens",
        "refusal" => "refusal",
        _ => "end_turn",
    };
    json!({
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": {"input_tokens": prompt, "output_tokens": completion},
    })
}

pub(super) fn error(message: &str, kind: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}
