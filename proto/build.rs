//! Compiles the wire's messages and services without protoc.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=v1");
    let descriptors = protox::compile(["v1/records.proto"], ["."])?;
    tonic_prost_build::configure().build_client(false).build_server(false).btree_map(".").compile_fds(descriptors)?;
    Ok(())
}
