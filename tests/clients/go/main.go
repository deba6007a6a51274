// A controller written with client-go: typed calls with protobuf bodies, shared and dynamic informers that start with
// WatchList, leader election on a Lease, lists in pages. It prints one line per successful step; the first failure ends
// it with exit code 1.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
)

const patience = 20 * time.Second

var jobs = schema.GroupVersionResource{Group: "kubeflow.org", Version: "v1", Resource: "pytorchjobs"}

func must(what string, err error) {
	if err != nil {
		fmt.Printf("FAILED %s: %v\n", what, err)
		os.Exit(1)
	}
}

func require(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("FAILED "+format+"\n", args...)
		os.Exit(1)
	}
}

// seen records how requests were sent.
type seen struct {
	sync.Mutex
	next      http.RoundTripper
	protobuf  int
	watchList map[string]int
}

func (s *seen) RoundTrip(request *http.Request) (*http.Response, error) {
	s.Lock()
	if strings.Contains(request.Header.Get("Content-Type"), "protobuf") {
		s.protobuf++
	}
	query := request.URL.Query()
	if query.Get("sendInitialEvents") == "true" {
		s.watchList[request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]]++
	}
	s.Unlock()
	return s.next.RoundTrip(request)
}

func wait(what string, done func() bool) {
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		require(time.Now().Before(end), "waited %s for %s", patience, what)
	}
}

func configMap(ns, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{"by": "go"}},
		Data:       map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0, 255}}}
}

func typed(ctx context.Context, client kubernetes.Interface, ns string, counts *seen) {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, metav1.CreateOptions{})
	must("create namespace", err)
	maps := client.CoreV1().ConfigMaps(ns)
	made, err := maps.Create(ctx, configMap(ns, "typed"), metav1.CreateOptions{})
	must("create configmap", err)
	require(made.UID != "" && made.BinaryData["b"][1] == 255, "the created configmap came back as %+v", made)
	stale := made.DeepCopy()
	made.Data["a"] = "2"
	made, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	must("update", err)
	_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
	require(err != nil && strings.Contains(err.Error(), "the object has been modified"), "a stale update gave %v", err)
	_, err = maps.Patch(ctx, "typed", types.StrategicMergePatchType, []byte(`{"data":{"c":"3"}}`), metav1.PatchOptions{})
	must("strategic patch", err)
	read, err := maps.Get(ctx, "typed", metav1.GetOptions{})
	must("get", err)
	require(read.Data["a"] == "2" && read.Data["c"] == "3", "after update and patch: %v", read.Data)

	grace := int64(30)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{TerminationGracePeriodSeconds: &grace,
		RestartPolicy: corev1.RestartPolicyNever, NodeSelector: map[string]string{"no": "where"},
		Containers: []corev1.Container{{Name: "c", Image: "i", Command: []string{"true"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}}}}}}
	got, err := client.CoreV1().Pods(ns).Create(ctx, pod, metav1.CreateOptions{})
	must("create pod", err)
	require(got.Spec.Containers[0].Env[0].Value == "1" && got.Status.Phase == corev1.PodPending, "the pod came back as %+v", got)
	now := int64(0)
	must("delete pod", client.CoreV1().Pods(ns).Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: &now}))
	counts.Lock()
	defer counts.Unlock()
	require(counts.protobuf >= 5, "only %d bodies went as protobuf", counts.protobuf)
	fmt.Println("ok typed client with protobuf bodies")
}

func paging(ctx context.Context, client kubernetes.Interface, ns string) {
	maps := client.CoreV1().ConfigMaps(ns)
	for i := 0; i < 25; i++ {
		_, err := maps.Create(ctx, configMap(ns, fmt.Sprintf("page-%02d", i)), metav1.CreateOptions{})
		must("create for paging", err)
	}
	names := map[string]bool{}
	pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) { return maps.List(ctx, options) }))
	pages.PageSize = 10
	must("list in pages", pages.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		name := object.(*corev1.ConfigMap).Name
		require(!names[name], "%s came twice", name)
		names[name] = true
		return nil
	}))
	require(len(names) == 26, "%d of 26 objects came", len(names))
	fmt.Println("ok lists in pages")
}

func sharedInformer(ctx context.Context, client kubernetes.Interface, ns string, counts *seen) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	maps := factory.Core().V1().ConfigMaps()
	var mutex sync.Mutex
	events := map[string]int{}
	count := func(kind string) { mutex.Lock(); events[kind]++; mutex.Unlock() }
	_, err := maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { count("add") },
		UpdateFunc: func(any, any) { count("update") },
		DeleteFunc: func(any) { count("delete") }})
	must("add handler", err)
	factory.Start(ctx.Done())
	wait("the informer's first list", maps.Informer().HasSynced)
	found, err := maps.Lister().ConfigMaps(ns).List(labels.SelectorFromSet(labels.Set{"by": "go"}))
	must("list from cache", err)
	require(len(found) == 26, "the cache has %d of 26 objects", len(found))
	_, err = client.CoreV1().ConfigMaps(ns).Patch(ctx, "typed", types.MergePatchType, []byte(`{"data":{"d":"4"}}`), metav1.PatchOptions{})
	must("merge patch", err)
	must("delete", client.CoreV1().ConfigMaps(ns).Delete(ctx, "page-00", metav1.DeleteOptions{}))
	wait("the informer's events", func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return events["add"] == 26 && events["update"] >= 1 && events["delete"] == 1
	})
	counts.Lock()
	defer counts.Unlock()
	require(counts.watchList["configmaps"] > 0, "the informer did not begin with WatchList")
	fmt.Println("ok shared informer with WatchList")
}

func job(name string) *unstructured.Unstructured {
	template := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "pytorch", "image": "i", "command": []any{"true"}}}}}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"runPolicy": map[string]any{"suspend": true},
			"pytorchReplicaSpecs": map[string]any{"Master": map[string]any{"replicas": int64(1), "template": template}}}}}
}

func dynamicInformer(ctx context.Context, client dynamic.Interface, ns string, counts *seen) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := client.Resource(jobs).Namespace(ns).Create(ctx, job("before"), metav1.CreateOptions{})
	must("create job", err)
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, ns, nil)
	informer := factory.ForResource(jobs)
	factory.Start(ctx.Done())
	wait("the dynamic informer's first list", informer.Informer().HasSynced)
	_, err = client.Resource(jobs).Namespace(ns).Create(ctx, job("after"), metav1.CreateOptions{})
	must("create job", err)
	wait("both jobs in the cache", func() bool {
		all, _ := informer.Lister().ByNamespace(ns).List(labels.Everything())
		return len(all) == 2
	})
	_, err = client.Resource(jobs).Namespace(ns).Apply(ctx, "after", &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kubeflow.org/v1",
		"kind": "PyTorchJob", "metadata": map[string]any{"name": "after", "labels": map[string]any{"team": "vision"}}}}, metav1.ApplyOptions{FieldManager: "go-test"})
	must("server-side apply", err)
	wait("the label in the cache", func() bool {
		found, err := informer.Lister().ByNamespace(ns).Get("after")
		return err == nil && found.(*unstructured.Unstructured).GetLabels()["team"] == "vision"
	})
	must("delete all jobs", client.Resource(jobs).Namespace(ns).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	wait("an empty cache", func() bool {
		all, _ := informer.Lister().ByNamespace(ns).List(labels.Everything())
		return len(all) == 0
	})
	counts.Lock()
	defer counts.Unlock()
	require(counts.watchList["pytorchjobs"] > 0, "the dynamic informer did not begin with WatchList")
	fmt.Println("ok dynamic informer with WatchList")
}

func election(ctx context.Context, client kubernetes.Interface, ns string) {
	leads := make(chan string, 4)
	start := func(ctx context.Context, who string) {
		lock := &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: ns, Name: "leader"}, Client: client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: who}}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { leads <- who }, OnStoppedLeading: func() {}}})
	}
	next := func(what string) string {
		select {
		case who := <-leads:
			return who
		case <-time.After(patience):
			require(false, "nobody leads %s", what)
			return ""
		}
	}
	first, stopFirst := context.WithCancel(ctx)
	go start(first, "first")
	require(next("at first") == "first", "another one leads")
	second, stopSecond := context.WithCancel(ctx)
	defer stopSecond()
	go start(second, "second")
	time.Sleep(time.Second)
	require(len(leads) == 0, "two lead at a time")
	stopFirst()
	require(next("after the first has gone") == "second", "another one leads")
	lease, err := client.CoordinationV1().Leases(ns).Get(ctx, "leader", metav1.GetOptions{})
	must("get lease", err)
	require(*lease.Spec.HolderIdentity == "second" && *lease.Spec.LeaseTransitions >= 1, "the lease is %+v", lease.Spec)
	fmt.Println("ok leader election on a Lease")
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must("read kubeconfig", err)
	config.QPS, config.Burst = 1000, 1000
	counts := &seen{watchList: map[string]int{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { counts.next = next; return counts })
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dynamicClient, err := dynamic.NewForConfig(rest.CopyConfig(config))
	must("make dynamic client", err)
	config.ContentType, config.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	must("make client", err)

	const ns = "go-clients"
	typed(ctx, client, ns, counts)
	paging(ctx, client, ns)
	sharedInformer(ctx, client, ns, counts)
	dynamicInformer(ctx, dynamicClient, ns, counts)
	election(ctx, client, ns)
	must("delete namespace", client.CoreV1().Namespaces().Delete(ctx, ns, metav1.DeleteOptions{}))
	wait("the namespace to be gone", func() bool {
		_, err := client.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
		return err != nil
	})
	fmt.Println("ok namespace and all in it deleted")
}
