// Vault's core with the Kubernetes auth method and the key/value engine, in memory, for the suites: Vault's own code answers every
// request, nothing of its behaviour is imitated. A server for tests only; it is no part of what this repository ships.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/hashicorp/go-hclog"
	kubernetes "github.com/hashicorp/vault-plugin-auth-kubernetes"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	requests := flag.String("requests", "", "file that gets one JSON line for each request: method, path, status")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	address := "http://" + listener.Addr().String()
	core, err := newCore(address)
	must(err)
	seal := &vault.SealConfig{SecretShares: 1, SecretThreshold: 1}
	keys, err := core.Initialize(context.Background(), &vault.InitParams{BarrierConfig: seal, RecoveryConfig: seal})
	must(err)
	_, err = core.Unseal(keys.SecretShares[0])
	must(err)
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{Address: address}})
	record, err := os.OpenFile(*requests, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]string{
		"address": address, "rootToken": keys.RootToken, "unsealKey": fmt.Sprintf("%x", keys.SecretShares[0]),
	}))
	must(http.Serve(listener, &recorder{handler: handler, lines: json.NewEncoder(record)}))
}

func newCore(address string) (*vault.Core, error) {
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr})
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return nil, err
	}
	return vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		DisableMlock:       true,
		Logger:             logger,
		RedirectAddr:       address,
		CredentialBackends: map[string]logical.Factory{"kubernetes": kubernetes.Factory},
		LogicalBackends:    map[string]logical.Factory{"kv": kv.Factory},
		BuiltinRegistry:    registry{},
	})
}

// registry names the two plugins; without one the first mount panics.
type registry struct{}

func (registry) Contains(name string, kind consts.PluginType) bool {
	return name == "kubernetes" && kind == consts.PluginTypeCredential || name == "kv" && kind == consts.PluginTypeSecrets
}

func (r registry) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory := logical.Factory(kubernetes.Factory)
	if name == "kv" {
		factory = kv.Factory
	}
	return func() (interface{}, error) { return factory, nil }, r.Contains(name, kind)
}

func (r registry) Keys(kind consts.PluginType) []string {
	for _, name := range []string{"kubernetes", "kv"} {
		if r.Contains(name, kind) {
			return []string{name}
		}
	}
	return nil
}

func (r registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

// recorder writes down what was asked and how it was answered, and no header or body: tokens are in those.
type recorder struct {
	handler http.Handler
	mutex   sync.Mutex
	lines   *json.Encoder
}

func (r *recorder) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	answer := &statusWriter{ResponseWriter: writer, status: http.StatusOK}
	method, path := request.Method, request.URL.Path
	r.handler.ServeHTTP(answer, request)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	_ = r.lines.Encode(map[string]any{"method": method, "path": path, "status": answer.status})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
