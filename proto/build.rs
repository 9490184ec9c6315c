//! Compiles the wire's messages and services without protoc, and keeps their descriptors for reflection.

use prost::Message;
use std::path::PathBuf;

const FILES: [&str; 6] = [
    "v1/records.proto",
    "v1/campaigns.proto",
    "v1/planner.proto",
    "v1/aggregator.proto",
    "v1/graph.proto",
    "v1/error.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=v1");
    let descriptors = protox::compile(FILES, ["."])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().btree_map(".").compile_fds(descriptors)?;
    Ok(())
}
