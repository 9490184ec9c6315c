//! The dialect of OpenAI chat completions.

use super::asked::{ChatMessage, Dialect, ModelRequest};
use super::strict::{Check, Object, png, schema, turns};
use serde_json::{Value, json};

const FIELDS: [&str; 8] =
    ["model", "messages", "stream", "temperature", "max_tokens", "max_completion_tokens", "seed", "response_format"];

pub(super) fn check(body: &Value) -> Check<ModelRequest> {
    let request = Object::new(body, "body", &FIELDS)?;
    request.no_stream()?;
    let model = request.text("model")?;
    let limit = if request.has("max_completion_tokens") { "max_completion_tokens" } else { "max_tokens" };
    let (system, messages) = conversation(request.list("messages")?)?;
    Ok(ModelRequest {
        dialect: Dialect::OpenAi,
        model: model.to_owned(),
        job: None,
        step: None,
        system,
        messages,
        schema: response_schema(request.get("response_format")?)?,
        temperature: request.number("temperature", 0.0, 2.0)?,
        seed: request.whole("seed")?,
        max_tokens: request.limit(limit)?,
    })
}

fn conversation(messages: &[Value]) -> Check<(String, Vec<ChatMessage>)> {
    let (first, rest) = messages.split_first().ok_or("messages: must not be empty")?;
    let system = Object::new(first, "messages[0]", &["role", "content"])?;
    system.literal("role", "system")?;
    let mut said = Vec::new();
    for (index, message) in rest.iter().enumerate() {
        let at = format!("messages[{}]", index + 1);
        let message = Object::new(message, &at, &["role", "content"])?;
        let by_model = match message.text("role")? {
            "user" => false,
            "assistant" => true,
            other => return Err(format!("{at}.role: `{other}` may not stand here")),
        };
        let (text, pictures) = content(message.get("content")?, &at)?;
        if by_model && !pictures.is_empty() {
            return Err(format!("{at}: the assistant sends no pictures"));
        }
        said.push(ChatMessage { by_model, text, pictures });
    }
    turns(&said.iter().map(|said| said.by_model).collect::<Vec<_>>(), "messages")?;
    Ok((system.text("content")?.to_owned(), said))
}

fn content(content: &Value, at: &str) -> Check<(String, Vec<(u32, u32)>)> {
    if let Some(text) = content.as_str() {
        return Ok((text.to_owned(), Vec::new()));
    }
    let parts = content.as_array().ok_or_else(|| format!("{at}.content: expected a string or an array"))?;
    let (mut texts, mut pictures) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}.content[{index}]");
        let part = Object::new(part, &at, &["type", "text", "image_url"])?;
        match part.text("type")? {
            "text" => texts.push(part.text("text")?.to_owned()),
            "image_url" => {
                let url = Object::new(part.get("image_url")?, &at, &["url", "detail"])?.text("url")?;
                let data = url.strip_prefix("data:image/png;base64,");
                pictures.push(png(data.ok_or_else(|| format!("{at}: expected a data URL of a PNG"))?, &at)?);
            }
            other => return Err(format!("{at}.type: unknown `{other}`")),
        }
    }
    Ok((texts.join("\n"), pictures))
}

fn response_schema(format: &Value) -> Check<Value> {
    let format = Object::new(format, "response_format", &["type", "json_schema"])?;
    format.literal("type", "json_schema")?;
    let at = "response_format.json_schema";
    let spec = Object::new(format.get("json_schema")?, at, &["name", "strict", "schema", "description"])?;
    let name = spec.text("name")?;
    if name.is_empty() || name.len() > 64 || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Err(format!("{at}.name: `{name}` must be 1 to 64 letters, digits, `_` or `-`"));
    }
    if spec.get("strict")? != &Value::Bool(true) {
        return Err(format!("{at}.strict: must be true"));
    }
    let value = spec.get("schema")?;
    schema(value, &format!("{at}.schema"), true)?;
    Ok(value.clone())
}

/// The body of an answer. `end` is `stop`, `length` or `refusal`.
pub(super) fn answer(asked: &ModelRequest, text: &str, end: &str, prompt: u64, completion: u64) -> Value {
    let refused = end == "refusal";
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant",
                "content": (!refused).then_some(text),
                "refusal": refused.then_some(text),
            },
            "finish_reason": if refused { "stop" } else { end },
        }],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    })
}

pub(super) fn error(message: &str, kind: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}
