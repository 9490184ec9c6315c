//go:build node

package main

import (
	"context"

	"github.com/spf13/cobra"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// What a machine needs beside the control plane so that pods run on it.
func init() {
	programs["kube-scheduler"] = func() *cobra.Command { return scheduler.NewSchedulerCommand() }
	programs["kube-proxy"] = proxy.NewProxyCommand
	programs["kubelet"] = func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }
}
