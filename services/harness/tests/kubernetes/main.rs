//! Resources, operator and chart on a real API server, as `make kube-test` tries them.

use harness::program::{binary, binary_of};
use std::path::Path;
use std::process::Command;

#[test]
fn a_real_api_server_takes_resources_operator_and_chart() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a folder");
    let mut test = Command::new("python3");
    test.arg("-B").arg(root.join("deploy/kube/test_operator.py"));
    test.arg(binary()).arg(binary_of("rutter-operator")).arg(folder.path().join("cluster")).arg(folder.path());
    // On a control plane of its own, whatever cluster somebody works with.
    let status =
        test.env_remove("KUBECONFIG").status().expect("python3 is missing: run `deploy/local/setup.sh packages`");
    assert!(status.success(), "{status}; what failed stands above");
}
