//! The dialect of Gemini generateContent.

use super::asked::{ChatMessage, Dialect, ModelRequest};
use super::strict::{Check, Object, png, schema, turns};
use serde_json::{Value, json};

pub(super) fn check(model: &str, body: &Value) -> Check<ModelRequest> {
    let request = Object::new(body, "body", &["systemInstruction", "contents", "generationConfig"])?;
    let at = "generationConfig";
    let known = ["responseMimeType", "responseJsonSchema", "temperature", "maxOutputTokens", "seed"];
    let config = Object::new(request.get(at)?, at, &known)?;
    config.literal("responseMimeType", "application/json")?;
    let reply = config.get("responseJsonSchema")?;
    schema(reply, "generationConfig.responseJsonSchema", false)?;
    let instruction = Object::new(request.get("systemInstruction")?, "systemInstruction", &["parts"])?;
    let (system, _) = parts(instruction.list("parts")?, "systemInstruction")?;
    let mut messages = Vec::new();
    for (index, content) in request.list("contents")?.iter().enumerate() {
        let at = format!("contents[{index}]");
        let content = Object::new(content, &at, &["role", "parts"])?;
        let by_model = match content.text("role")? {
            "user" => false,
            "model" => true,
            other => return Err(format!("{at}.role: unknown `{other}`")),
        };
        let (text, pictures) = parts(content.list("parts")?, &at)?;
        messages.push(ChatMessage { by_model, text, pictures });
    }
    turns(&messages.iter().map(|said| said.by_model).collect::<Vec<_>>(), "contents")?;
    Ok(ModelRequest {
        dialect: Dialect::Gemini,
        model: model.to_owned(),
        job: None,
        step: None,
        system,
        messages,
        schema: reply.clone(),
        temperature: config.number("temperature", 0.0, 2.0)?,
        seed: config.whole("seed")?,
        max_tokens: config.limit("maxOutputTokens")?,
    })
}

fn parts(parts: &[Value], at: &str) -> Check<(String, Vec<(u32, u32)>)> {
    let (mut texts, mut pictures) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}.parts[{index}]");
        let part = Object::new(part, &at, &["text", "inline_data", "inlineData"])?;
        if part.has("text") {
            texts.push(part.text("text")?.to_owned());
            continue;
        }
        let (field, mime) =
            if part.has("inlineData") { ("inlineData", "mimeType") } else { ("inline_data", "mime_type") };
        let data = Object::new(part.get(field)?, &at, &[mime, "data"])?;
        data.literal(mime, "image/png")?;
        pictures.push(png(data.text("data")?, &at)?);
    }
    Ok((texts.join("\n"), pictures))
}

/// The body of an answer. `end` is `stop`, `length` or `refusal`.
pub(super) fn answer(asked: &ModelRequest, text: &str, end: &str, prompt: u64, completion: u64) -> Value {
    let usage = json!({
        "promptTokenCount": prompt,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt + completion,
    });
    let (reason, parts) = match end {
        "length" => ("MAX_TOKENS", json!([{"text": text}])),
        "refusal" => ("SAFETY", json!([])),
        _ => ("STOP", json!([{"text": text}])),
    };
    json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": reason}],
        "usageMetadata": usage,
        "modelVersion": asked.model,
    })
}

pub(super) fn error(message: &str, status: u16) -> Value {
    json!({"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}})
}
