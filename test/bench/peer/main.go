// A plain controller-runtime operator doing the same work as homeostat's Environment: the side-by-side peer of the benches.
// It serves /validate and /mutate over TLS, keeps an informer cache, and provisions one namespace with eight children per
// Environment by server-side apply, then patches status. Written the way controller-runtime's own documentation teaches.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var (
	group    = flag.String("group", "homeostat.io", "API group of the Environment kind")
	workers  = flag.Int("workers", 4, "MaxConcurrentReconciles")
	certDir  = flag.String("certs", "certs", "folder with tls.crt and tls.key")
	port     = flag.Int("port", 9443, "webhook port")
	metrics  = flag.String("metrics", "127.0.0.1:9080", "address of metrics")
	health   = flag.String("health", "127.0.0.1:9081", "address of probes")
	doing    = flag.String("mode", "all", "all | webhook | informer")
	kind     = flag.String("informer-kind", "ConfigMap", "core/v1 kind to cache in informer mode")
	dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
)

const finalizer = "peer.example.com/cleanup"

func gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: *group, Version: "v1alpha1", Kind: "Environment"}
}

func main() {
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseDevMode(false)))
	ctx := ctrl.SetupSignalHandler()
	config := ctrl.GetConfigOrDie()
	config.QPS, config.Burst = 500, 1000
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: clientgoscheme.Scheme, Metrics: metricsserver.Options{BindAddress: *metrics}, HealthProbeBindAddress: *health,
		Cache:         cache.Options{},
		WebhookServer: webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certDir}),
	})
	must(err)
	must(manager.AddReadyzCheck("ping", healthz.Ping))
	switch *doing {
	case "informer":
		start := time.Now()
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(*kind))
		go func() {
			informer, err := manager.GetCache().GetInformer(ctx, object)
			must(err)
			for !informer.HasSynced() {
				time.Sleep(5 * time.Millisecond)
			}
			runtime.GC()
			fmt.Printf(`{"synced_ms":%d}`+"\n", time.Since(start).Milliseconds())
		}()
	default:
		serve(manager)
		if *doing == "all" {
			environment := &unstructured.Unstructured{}
			environment.SetGroupVersionKind(gvk())
			must(ctrl.NewControllerManagedBy(manager).Named("environment").
				For(environment).
				Owns(&corev1.Namespace{}).Owns(&corev1.ResourceQuota{}).Owns(&corev1.LimitRange{}).Owns(&corev1.ServiceAccount{}).
				Owns(&rbacv1.RoleBinding{}).Owns(&networkingv1.NetworkPolicy{}).
				WithEventFilter(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{})).
				WithOptions(controller.Options{MaxConcurrentReconciles: *workers}).
				Complete(&reconciler{manager.GetClient()}))
		}
	}
	must(manager.Start(ctx))
}

// serve registers the two webhooks on the manager's server.
func serve(manager ctrl.Manager) {
	manager.GetWebhookServer().Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(r.Object.Raw, &object.Object); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if err := validate(object); err != nil {
			return admission.Denied(err.Error())
		}
		return admission.Allowed("")
	})})
	manager.GetWebhookServer().Register("/mutate", &webhook.Admission{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(r.Object.Raw, &object.Object); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		if _, found, _ := unstructured.NestedString(object.Object, "spec", "stage"); !found {
			_ = unstructured.SetNestedField(object.Object, "dev", "spec", "stage")
		}
		changed, err := json.Marshal(object.Object)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		return admission.PatchResponseFromRaw(r.Object.Raw, changed)
	})})
}

// validate holds the rules that the benched reviews exercise: names, quantities, ranges, duplicate bindings.
func validate(object *unstructured.Unstructured) error {
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	if stage, ok := spec["stage"].(string); ok && (len(stage) > 63 || !dnsLabel.MatchString(stage)) {
		return fmt.Errorf("spec.stage: Invalid value: %q", stage)
	}
	for _, field := range []string{"resourceQuotas", "limitRanges", "serviceAccounts", "roleBindings", "networkPolicies"} {
		items, _ := spec[field].([]any)
		seen := map[string]bool{}
		for i, raw := range items {
			item, _ := raw.(map[string]any)
			name, _ := item["name"].(string)
			if !dnsLabel.MatchString(name) {
				return fmt.Errorf("spec.%s[%d].name: Invalid value: %q", field, i, name)
			}
			if seen[name] {
				return fmt.Errorf("spec.%s[%d].name: Duplicate value: %q", field, i, name)
			}
			seen[name] = true
			hard, _ := item["hard"].(map[string]any)
			for key, value := range hard {
				if _, err := resource.ParseQuantity(fmt.Sprint(value)); err != nil {
					return fmt.Errorf("spec.%s[%d].hard[%s]: Invalid value: %v", field, i, key, value)
				}
			}
		}
	}
	return nil
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	environment := &unstructured.Unstructured{}
	environment.SetGroupVersionKind(gvk())
	if err := r.Get(ctx, request.NamespacedName, environment); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	target := request.Namespace + "-" + request.Name
	if !environment.GetDeletionTimestamp().IsZero() {
		namespace := &corev1.Namespace{}
		namespace.Name = target
		if err := r.Delete(ctx, namespace); !apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: time.Second}, client.IgnoreNotFound(err)
		}
		controllerutil.RemoveFinalizer(environment, finalizer)
		return ctrl.Result{}, r.Update(ctx, environment)
	}
	if controllerutil.AddFinalizer(environment, finalizer) {
		if err := r.Update(ctx, environment); err != nil {
			return ctrl.Result{}, err
		}
	}
	labels := map[string]any{"app.kubernetes.io/managed-by": "peer", "peer.example.com/environment": request.Name}
	child := func(apiVersion, kind, namespace, name string, body map[string]any) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{}}
		for key, value := range body {
			object.Object[key] = value
		}
		object.SetAPIVersion(apiVersion)
		object.SetKind(kind)
		object.SetNamespace(namespace)
		object.SetName(name)
		_ = unstructured.SetNestedField(object.Object, labels, "metadata", "labels")
		return object
	}
	children := []*unstructured.Unstructured{child("v1", "Namespace", "", target, nil)}
	spec, _, _ := unstructured.NestedMap(environment.Object, "spec")
	each := func(field string, build func(name string, item map[string]any) *unstructured.Unstructured) {
		items, _ := spec[field].([]any)
		for _, raw := range items {
			item := raw.(map[string]any)
			children = append(children, build(item["name"].(string), item))
		}
	}
	each("resourceQuotas", func(name string, item map[string]any) *unstructured.Unstructured {
		return child("v1", "ResourceQuota", target, name, map[string]any{"spec": map[string]any{"hard": item["hard"]}})
	})
	each("limitRanges", func(name string, item map[string]any) *unstructured.Unstructured {
		return child("v1", "LimitRange", target, name, map[string]any{"spec": map[string]any{"limits": item["limits"]}})
	})
	each("serviceAccounts", func(name string, _ map[string]any) *unstructured.Unstructured {
		return child("v1", "ServiceAccount", target, name, nil)
	})
	each("roleBindings", func(name string, item map[string]any) *unstructured.Unstructured {
		role := item["roleRef"].(map[string]any)
		return child("rbac.authorization.k8s.io/v1", "RoleBinding", target, name, map[string]any{
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": role["name"]},
			"subjects": item["subjects"]})
	})
	each("networkPolicies", func(name string, item map[string]any) *unstructured.Unstructured {
		return child("networking.k8s.io/v1", "NetworkPolicy", target, name, map[string]any{"spec": item["spec"]})
	})
	for _, object := range children {
		if err := r.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("peer"), client.ForceOwnership); err != nil {
			return ctrl.Result{}, err
		}
	}
	before := environment.DeepCopy()
	_ = unstructured.SetNestedField(environment.Object, environment.GetGeneration(), "status", "observedGeneration")
	_ = unstructured.SetNestedSlice(environment.Object, []any{map[string]any{"type": "Ready", "status": "True", "reason": "Provisioned", "message": "", "lastTransitionTime": environment.GetCreationTimestamp().UTC().Format(time.RFC3339)}}, "status", "conditions")
	return ctrl.Result{}, r.Status().Patch(ctx, environment, client.MergeFrom(before))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
