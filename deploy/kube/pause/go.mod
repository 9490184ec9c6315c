module rutter.dev/deploy/kube/pause

go 1.24.0
