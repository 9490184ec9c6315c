//! What a question costs in memory until it is sent. As a message and as bytes it is ten times the page that it is about, and a
//! thousand sessions may ask at once while a planner takes in a few questions at a time. So only some are made for each planner;
//! the others wait as what they are about, which their sessions hold anyway.

use crate::v1;
use prost::Message as _;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tonic::client::Grpc;
use tonic::codec::{BufferSettings, Codec, CompressionEncoding, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{GrpcMethod, Request, Status};
use tonic_prost::ProstCodec;

/// Questions to one planner that may be made and not yet sent. Each is some hundred kilobytes.
pub(crate) const UNSENT: usize = 16;

const SERVICE: &str = "rutter.v1.PlannerService";
const METHOD: &str = "Decide";
const PATH: &str = "/rutter.v1.PlannerService/Decide";

/// Room for the unsent questions to each planner.
#[derive(Default)]
pub(super) struct Outbox {
    by_endpoint: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// Room for one question, until it is sent.
pub(super) type Room = OwnedSemaphorePermit;

impl Outbox {
    /// Waits until a question to an endpoint may be made.
    pub(super) async fn room(&self, endpoint: &str) -> Result<Room, Status> {
        let rooms = {
            let mut all = self.by_endpoint.lock().await;
            // Addresses behind a name come and go.
            all.retain(|known, rooms| known == endpoint || rooms.available_permits() < UNSENT);
            all.entry(endpoint.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(UNSENT))).clone()
        };
        rooms.acquire_owned().await.map_err(|closed| Status::internal(closed.to_string()))
    }
}

/// Sends a question and waits for the answer. Its room is free again when the last byte was handed to the connection.
pub(super) async fn send(
    transport: platform::rpc::Transport,
    limit: usize,
    compressed: bool,
    request: Request<v1::DecideRequest>,
    room: Room,
) -> Result<v1::DecideResponse, Status> {
    let client = Grpc::new(transport).max_decoding_message_size(limit).max_encoding_message_size(limit);
    let client = client.accept_compressed(CompressionEncoding::Zstd);
    let mut client = if compressed { client.send_compressed(CompressionEncoding::Zstd) } else { client };
    client.ready().await.map_err(|error| Status::unavailable(format!("not ready: {error}")))?;
    let mut request = request.map(|message| (message, room));
    request.extensions_mut().insert(GrpcMethod::new(SERVICE, METHOD));
    let answered = client.unary(request, PathAndQuery::from_static(PATH), QuestionCodec).await?;
    Ok(answered.into_inner())
}

/// The usual codec, whose encoder keeps the room of its question: it lives as long as the body of the request.
struct QuestionCodec;

struct QuestionEncoder {
    _room: Option<Room>,
}

impl Codec for QuestionCodec {
    type Encode = (v1::DecideRequest, Room);
    type Decode = v1::DecideResponse;
    type Encoder = QuestionEncoder;
    type Decoder = <ProstCodec<v1::DecideRequest, v1::DecideResponse> as Codec>::Decoder;

    fn encoder(&mut self) -> QuestionEncoder {
        QuestionEncoder { _room: None }
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<v1::DecideRequest, v1::DecideResponse>::default().decoder()
    }
}

impl Encoder for QuestionEncoder {
    type Item = (v1::DecideRequest, Room);
    type Error = Status;

    fn encode(&mut self, (message, room): Self::Item, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        self._room = Some(room);
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}
