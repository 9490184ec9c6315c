// One program for everything that a cluster of one machine runs: `kube-node etcd …`, `kube-node kube-apiserver …`, and so on.
// What they are and do is theirs; this only chooses by name. One program is built and kept instead of six.
//
// Without the build tag `node` it has the control plane and kubectl only, which takes half as long to build.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

var programs = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": manager.NewControllerManagerCommand,
	"kubectl":                 func() *cobra.Command { return cmd.NewDefaultKubectlCommand() },
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "etcd" {
		etcdmain.Main(os.Args[1:])
		return
	}
	if len(os.Args) > 1 && programs[os.Args[1]] != nil {
		program := programs[os.Args[1]]
		os.Args = os.Args[1:]
		os.Exit(cli.Run(program()))
	}
	known := slices.Sorted(maps.Keys(programs))
	fmt.Fprintf(os.Stderr, "kube-node: name a program: etcd, %s\n", strings.Join(known, ", "))
	os.Exit(2)
}
