//! Errors of services on the wire: a gRPC status with our own code, time to wait and cost in its details.

use crate::convert::campaign::{duration, span};
use crate::error::Error;
use crate::v1;
use domain::Usage;
use domain::service::{Code, ServiceError};
use prost::Message;
use tonic::Status;
use tonic_types::pb;

/// A message longer than this in bytes is cut: it travels in a header, of which transports allow 16 KiB in all.
const LONGEST_MESSAGE: usize = 2_000;

/// How our detail is named among others.
const TYPE_URL: &str = "type.googleapis.com/rutter.v1.ErrorDetail";

impl From<Error> for ServiceError {
    /// A request that cannot be read.
    fn from(error: Error) -> Self {
        ServiceError::new(Code::Invalid, error.to_string())
    }
}

/// The status of an error.
pub(crate) fn refuse(error: impl Into<ServiceError>) -> Status {
    let ServiceError { code, message, retry_after, usage } = error.into();
    let outer = outer(code);
    let detail = v1::ErrorDetail {
        code: v1::Code::from(code).into(),
        retry_after: retry_after.map(span),
        usage: (usage != Usage::default()).then(|| usage.into()),
    };
    // The message stands in a header of its own and is not repeated here.
    let status = pb::Status {
        code: outer.into(),
        message: String::new(),
        details: vec![prost_types::Any { type_url: TYPE_URL.to_owned(), value: detail.encode_to_vec() }],
    };
    Status::with_details(outer, cut(message), status.encode_to_vec().into())
}

fn cut(mut message: String) -> String {
    if message.len() > LONGEST_MESSAGE {
        let end = (0..=LONGEST_MESSAGE).rev().find(|index| message.is_char_boundary(*index)).unwrap_or(0);
        message.truncate(end);
        message.push('…');
    }
    message
}

/// The error of a status that a call ended with. What the other side said of itself is passed on as it is; what the
/// transport says is told with what was being done and where.
pub(crate) fn failure(doing: &str, endpoint: &str, status: &Status) -> ServiceError {
    if let Some(error) = said(status) {
        return error;
    }
    let mut cause = status.message().to_owned();
    let mut source = std::error::Error::source(status);
    while let Some(error) = source {
        let next = error.to_string();
        if !cause.contains(&next) {
            cause = format!("{cause}: {next}");
        }
        source = error.source();
    }
    if status.code() == tonic::Code::Unimplemented {
        cause = "the other side does not know this call; update it".to_owned();
    }
    ServiceError::new(inner(status), format!("{doing} at {endpoint}: {cause}"))
}

/// What the other side said of its failure in our own terms.
fn said(status: &Status) -> Option<ServiceError> {
    let outer = pb::Status::decode(status.details()).ok()?;
    let any = outer.details.into_iter().find(|any| any.type_url == TYPE_URL)?;
    let detail = v1::ErrorDetail::decode(any.value.as_slice()).ok()?;
    Some(ServiceError {
        code: code(detail.code()).unwrap_or_else(|| inner(status)),
        message: status.message().to_owned(),
        retry_after: detail.retry_after.and_then(|time| duration(time, "error.retry_after").ok()),
        usage: detail.usage.map(Into::into).unwrap_or_default(),
    })
}

fn outer(code: Code) -> tonic::Code {
    match code {
        Code::Invalid => tonic::Code::InvalidArgument,
        Code::NotFound => tonic::Code::NotFound,
        Code::Conflict => tonic::Code::FailedPrecondition,
        Code::Unauthenticated => tonic::Code::Unauthenticated,
        Code::TooLarge => tonic::Code::OutOfRange,
        Code::Throttled => tonic::Code::ResourceExhausted,
        Code::Unavailable | Code::Upstream => tonic::Code::Unavailable,
        Code::Deadline => tonic::Code::DeadlineExceeded,
        Code::Corrupt => tonic::Code::DataLoss,
        Code::Internal => tonic::Code::Internal,
    }
}

/// Our code for a status without one of ours: of the transport, of a proxy, of another program.
fn inner(status: &Status) -> Code {
    let source = std::error::Error::source(status);
    if source.is_some_and(platform::rpc::is_refused_certificate) {
        return Code::Unauthenticated;
    }
    match status.code() {
        tonic::Code::InvalidArgument => Code::Invalid,
        tonic::Code::NotFound => Code::NotFound,
        tonic::Code::AlreadyExists | tonic::Code::FailedPrecondition | tonic::Code::Aborted => Code::Conflict,
        tonic::Code::Unauthenticated | tonic::Code::PermissionDenied => Code::Unauthenticated,
        tonic::Code::OutOfRange => Code::TooLarge,
        // The transport counts a message that grows beyond the limit while it is unpacked among exhausted resources.
        tonic::Code::ResourceExhausted if status.message().contains("decompressing") => Code::TooLarge,
        tonic::Code::ResourceExhausted => Code::Throttled,
        // We cancel no call of ours: the time given to it was over.
        tonic::Code::Cancelled | tonic::Code::DeadlineExceeded => Code::Deadline,
        tonic::Code::DataLoss => Code::Corrupt,
        tonic::Code::Unavailable | tonic::Code::Unknown => Code::Unavailable,
        // A connection that broke in the middle of an answer.
        tonic::Code::Internal if source.is_some() => Code::Unavailable,
        tonic::Code::Internal | tonic::Code::Unimplemented | tonic::Code::Ok => Code::Internal,
    }
}

impl From<Code> for v1::Code {
    fn from(code: Code) -> Self {
        match code {
            Code::Invalid => v1::Code::Invalid,
            Code::NotFound => v1::Code::NotFound,
            Code::Conflict => v1::Code::Conflict,
            Code::Unauthenticated => v1::Code::Unauthenticated,
            Code::TooLarge => v1::Code::TooLarge,
            Code::Throttled => v1::Code::Throttled,
            Code::Unavailable => v1::Code::Unavailable,
            Code::Deadline => v1::Code::Deadline,
            Code::Upstream => v1::Code::Upstream,
            Code::Corrupt => v1::Code::Corrupt,
            Code::Internal => v1::Code::Internal,
        }
    }
}

fn code(message: v1::Code) -> Option<Code> {
    Some(match message {
        v1::Code::Unspecified => return None,
        v1::Code::Invalid => Code::Invalid,
        v1::Code::NotFound => Code::NotFound,
        v1::Code::Conflict => Code::Conflict,
        v1::Code::Unauthenticated => Code::Unauthenticated,
        v1::Code::TooLarge => Code::TooLarge,
        v1::Code::Throttled => Code::Throttled,
        v1::Code::Unavailable => Code::Unavailable,
        v1::Code::Deadline => Code::Deadline,
        v1::Code::Upstream => Code::Upstream,
        v1::Code::Corrupt => Code::Corrupt,
        v1::Code::Internal => Code::Internal,
    })
}
