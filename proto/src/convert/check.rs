//! Checks, and JSON values that page states are compared with.

use super::NOTHING;
use crate::error::{Error, required};
use crate::v1;
use domain::fault::FaultCategory;
use domain::task::{Check, ElementCheck, FaultCheck, PageStateCheck, RequestCheck, TextMatch, ValueCheck};
use serde_json::{Number, Value};

impl From<&Check> for v1::Check {
    fn from(check: &Check) -> Self {
        use v1::check::Of;
        let of = match check {
            Check::Url(wanted) => Of::Url(wanted.into()),
            Check::Text(wanted) => Of::Text(wanted.into()),
            Check::Element(wanted) => Of::Element(wanted.into()),
            Check::Value(wanted) => {
                Of::Value(v1::ValueCheck { of: Some((&wanted.of).into()), is: Some((&wanted.is).into()) })
            }
            Check::Answer(wanted) => Of::Answer(wanted.into()),
            Check::Request(wanted) => Of::Request(v1::RequestCheck {
                method: wanted.method.clone(),
                url: Some((&wanted.url).into()),
                status: wanted.status.map(u32::from),
            }),
            Check::Fault(wanted) => Of::Fault(wanted.into()),
            Check::PageState(wanted) => Of::PageState(v1::PageStateCheck {
                expression: wanted.expression.clone(),
                equals: Some((&wanted.equals).into()),
            }),
            Check::All(parts) => Of::All(v1::Checks { checks: parts.iter().map(Into::into).collect() }),
            Check::Any(parts) => Of::Any(v1::Checks { checks: parts.iter().map(Into::into).collect() }),
            Check::Not(part) => Of::Not(Box::new(part.as_ref().into())),
        };
        Self { of: Some(of) }
    }
}

impl TryFrom<v1::Check> for Check {
    type Error = Error;

    fn try_from(message: v1::Check) -> Result<Self, Error> {
        use v1::check::Of;
        let several = |checks: v1::Checks| checks.checks.into_iter().map(TryInto::try_into).collect::<Result<_, _>>();
        Ok(match required(message.of, "check.of")? {
            Of::Url(wanted) => Check::Url(wanted.try_into()?),
            Of::Text(wanted) => Check::Text(wanted.try_into()?),
            Of::Element(wanted) => Check::Element(wanted.try_into()?),
            Of::Value(wanted) => Check::Value(ValueCheck {
                of: required(wanted.of, "value.of")?.try_into()?,
                is: required(wanted.is, "value.is")?.try_into()?,
            }),
            Of::Answer(wanted) => Check::Answer(wanted.try_into()?),
            Of::Request(wanted) => Check::Request(RequestCheck {
                method: wanted.method,
                url: required(wanted.url, "request.url")?.try_into()?,
                status: wanted
                    .status
                    .map(u16::try_from)
                    .transpose()
                    .map_err(|error| Error::Invalid { field: "request.status", cause: error.to_string() })?,
            }),
            Of::Fault(wanted) => Check::Fault(wanted.try_into()?),
            Of::PageState(wanted) => Check::PageState(PageStateCheck {
                expression: wanted.expression,
                equals: required(wanted.equals, "page_state.equals")?.try_into()?,
            }),
            Of::All(parts) => Check::All(several(parts)?),
            Of::Any(parts) => Check::Any(several(parts)?),
            Of::Not(part) => Check::Not(Box::new((*part).try_into()?)),
        })
    }
}

impl From<&FaultCheck> for v1::FaultCheck {
    fn from(wanted: &FaultCheck) -> Self {
        let FaultCheck { category, message, source, first_party, at } = wanted;
        Self {
            category: category.map(|category| v1::FaultCategory::from(category).into()),
            message: message.as_ref().map(Into::into),
            source: source.as_ref().map(Into::into),
            first_party: *first_party,
            at: at.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<v1::FaultCheck> for FaultCheck {
    type Error = Error;

    fn try_from(message: v1::FaultCheck) -> Result<Self, Error> {
        let category = message.category.map(|_| FaultCategory::try_from(message.category())).transpose()?;
        let v1::FaultCheck { message, source, first_party, at, .. } = message;
        Ok(Self {
            category,
            message: message.map(TryInto::try_into).transpose()?,
            source: source.map(TryInto::try_into).transpose()?,
            first_party,
            at: at.map(TryInto::try_into).transpose()?,
        })
    }
}

impl From<&TextMatch> for v1::TextMatch {
    fn from(wanted: &TextMatch) -> Self {
        use v1::text_match::How;
        let how = match wanted.clone() {
            TextMatch::Equals(text) => How::Equals(text),
            TextMatch::Contains(text) => How::Contains(text),
            TextMatch::Matches(pattern) => How::Matches(pattern),
        };
        Self { how: Some(how) }
    }
}

impl TryFrom<v1::TextMatch> for TextMatch {
    type Error = Error;

    fn try_from(message: v1::TextMatch) -> Result<Self, Error> {
        use v1::text_match::How;
        Ok(match required(message.how, "text_match.how")? {
            How::Equals(text) => TextMatch::Equals(text),
            How::Contains(text) => TextMatch::Contains(text),
            How::Matches(pattern) => TextMatch::Matches(pattern),
        })
    }
}

impl From<&ElementCheck> for v1::ElementCheck {
    fn from(wanted: &ElementCheck) -> Self {
        Self {
            role: wanted.role.clone(),
            name: wanted.name.as_ref().map(Into::into),
            text: wanted.text.as_ref().map(Into::into),
            attributes: wanted.attributes.clone(),
            checked: wanted.checked,
        }
    }
}

impl TryFrom<v1::ElementCheck> for ElementCheck {
    type Error = Error;

    fn try_from(message: v1::ElementCheck) -> Result<Self, Error> {
        Ok(Self {
            role: message.role,
            name: message.name.map(TryInto::try_into).transpose()?,
            text: message.text.map(TryInto::try_into).transpose()?,
            attributes: message.attributes,
            checked: message.checked,
        })
    }
}

impl From<&Value> for v1::Json {
    fn from(value: &Value) -> Self {
        use v1::json::Is;
        let is = match value {
            Value::Null => Is::Null(NOTHING),
            Value::Bool(boolean) => Is::Boolean(*boolean),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(unsigned), _) => Is::Unsigned(unsigned),
                (None, Some(negative)) => Is::Negative(negative),
                (None, None) => Is::Real(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Is::Text(text.clone()),
            Value::Array(items) => Is::Array(v1::JsonArray { items: items.iter().map(Into::into).collect() }),
            Value::Object(members) => Is::Object(v1::JsonObject {
                members: members
                    .iter()
                    .map(|(name, value)| v1::JsonMember { name: name.clone(), value: Some(value.into()) })
                    .collect(),
            }),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::Json> for Value {
    type Error = Error;

    fn try_from(message: v1::Json) -> Result<Self, Error> {
        use v1::json::Is;
        Ok(match required(message.is, "json.is")? {
            Is::Null(_) => Value::Null,
            Is::Boolean(boolean) => Value::Bool(boolean),
            Is::Unsigned(number) => Value::Number(number.into()),
            Is::Negative(number) => Value::Number(number.into()),
            Is::Real(number) => {
                Value::Number(Number::from_f64(number).ok_or_else(|| Error::Invalid {
                    field: "json.real",
                    cause: format!("{number} is no JSON number"),
                })?)
            }
            Is::Text(text) => Value::String(text),
            Is::Array(array) => {
                Value::Array(array.items.into_iter().map(TryInto::try_into).collect::<Result<_, Error>>()?)
            }
            Is::Object(object) => {
                let mut members = serde_json::Map::new();
                for member in object.members {
                    members.insert(member.name, required(member.value, "json.member.value")?.try_into()?);
                }
                Value::Object(members)
            }
        })
    }
}
