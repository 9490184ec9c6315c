//! Calls whose message is bytes already.

use super::Caller;
use futures::Stream;
use platform::rpc::Transport;
use prost::Message;
use prost::bytes::BufMut as _;
use std::marker::PhantomData;
use tonic::client::Grpc;
use tonic::codec::{Codec, CompressionEncoding, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstDecoder;

/// Makes a call as generated clients do; `method` is its path.
pub(super) async fn call<A: Message + Default + Send + 'static>(
    caller: &Caller,
    method: &'static str,
    request: Request<Vec<u8>>,
    compressed: bool,
) -> Result<Response<A>, Status> {
    let client = ready(caller).await?.accept_compressed(CompressionEncoding::Zstd);
    let mut client = if compressed { client.send_compressed(CompressionEncoding::Zstd) } else { client };
    client.unary(request, PathAndQuery::from_static(method), Encoded(PhantomData::<A>)).await
}

/// Begins a call of many messages in both directions, none of them compressed, as with [`super::plain`].
pub(super) async fn converse<A: Message + Default + Send + Sync + 'static>(
    caller: &Caller,
    method: &'static str,
    requests: impl Stream<Item = Vec<u8>> + Send + 'static,
) -> Result<Streaming<A>, Status> {
    let mut client = ready(caller).await?;
    let path = PathAndQuery::from_static(method);
    Ok(client.streaming(Request::new(requests), path, Encoded(PhantomData::<A>)).await?.into_inner())
}

async fn ready(caller: &Caller) -> Result<Grpc<Transport>, Status> {
    let limit = caller.0.max_message_bytes;
    let mut client =
        Grpc::new(caller.0.transport.clone()).max_decoding_message_size(limit).max_encoding_message_size(limit);
    client.ready().await.map_err(|error| Status::unknown(format!("the connection is not ready: {error}")))?;
    Ok(client)
}

/// Bytes out, messages in.
struct Encoded<A>(PhantomData<A>);

impl<A: Message + Default + Send + 'static> Codec for Encoded<A> {
    type Encode = Vec<u8>;
    type Decode = A;
    type Encoder = AsItIs;
    type Decoder = ProstDecoder<A>;

    fn encoder(&mut self) -> AsItIs {
        AsItIs
    }

    fn decoder(&mut self) -> ProstDecoder<A> {
        ProstDecoder::default()
    }
}

struct AsItIs;

impl Encoder for AsItIs {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put_slice(&message);
        Ok(())
    }
}
