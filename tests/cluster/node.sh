# A node that runs pods: containerd, kubelet, kube-scheduler and CoreDNS with the API server that real_kubernetes.sh has
# started. Sourced by it with MUSTER_NODE=1; needs root. Pods are on a bridge of their own; nothing masquerades them, so
# they reach this machine and nothing beyond it.
images="${XDG_CACHE_HOME:-$HOME/.cache}/muster/cluster-images"

prepare_bridge() {
  # A bridge that an interrupted run left is in the way.
  ip link delete "$bridge" 2>/dev/null || true
  ip link add "$bridge" type bridge
  ip address add "$node_address/24" dev "$bridge"
  ip link set "$bridge" up
  forwarding_before=$(cat /proc/sys/net/ipv4/ip_forward)
  echo 1 >/proc/sys/net/ipv4/ip_forward
  # There is no kube-proxy: the one Service with an address that pods need is the API server's own.
  api_redirect=(-i "$bridge" -d 10.99.0.1 -p tcp --dport 443 -j DNAT --to-destination "$node_address:$api_port")
  iptables -t nat -A PREROUTING "${api_redirect[@]}"
}

pod_networks() { ip netns list | sed -n 's/^\(cni-[^ ]*\).*/\1/p' | sort; }

start_containerd() {
  networks_before=$(pod_networks)  # those of other containers on this machine
  mkdir -p "$dir/cni" "$images"
  cat >"$dir/cni/10-bridge.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "$bridge", "isGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "subnet": "$pod_network", "rangeStart": "${node_address%.*}.10", "dataDir": "$dir/ipam",
            "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "loopback"}]}
JSON
  cat >"$dir/containerd.toml" <<TOML
version = 2
root = "$images"
state = "$dir/containerd"
[grpc]
  address = "$dir/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "muster.dev/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
TOML
  containerd --config "$dir/containerd.toml" >"$dir/containerd.log" 2>&1 &
  pids+=($!)
  wait_for "containerd is ready" containers version
}

start_kubelet() {
  mkdir -p "$dir/kubelet" "$dir/manifests"
  cat >"$dir/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/ca.crt}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
failCgroupV1: false
clusterDNS: [$node_address]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix://$dir/containerd.sock
address: $node_address
port: $kubelet_port
healthzPort: 0
readOnlyPort: 0
resolvConf: $dir/resolv.conf
failSwapOn: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%}
localStorageCapacityIsolation: false
maxPods: 200
YAML
  : >"$dir/resolv.conf"
  "$binaries/kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$dir/kubeconfig" --root-dir "$dir/kubelet" \
    --cert-dir "$dir/kubelet-pki" --hostname-override node-1 --node-ip "$node_address" >"$dir/kubelet.log" 2>&1 &
  kubelet_pid=$!
  pids+=("$kubelet_pid")
}

start_scheduler() {
  "$binaries/kube-scheduler" --kubeconfig "$dir/kubeconfig" --leader-elect=false --secure-port 0 >"$dir/scheduler.log" 2>&1 &
  pids+=($!)
}

start_dns() {
  cat >"$dir/Corefile" <<CORE
. {
  bind $node_address
  kubernetes cluster.local {
    kubeconfig $dir/kubeconfig contract
    ttl 0
  }
}
CORE
  "$binaries/coredns" -conf "$dir/Corefile" -dns.port 53 >"$dir/coredns.log" 2>&1 &
  pids+=($!)
}

node_is_ready() { [[ $(ask /api/v1/nodes/node-1) =~ \"type\":\ *\"Ready\",[[:space:]]*\"status\":\ *\"True\" ]]; }

start_node() {
  "$here/../cluster/make_images"
  prepare_bridge
  start_containerd
  local archive
  for archive in "$images"/archives/*.tar; do
    [ "$archive" -ot "$archive.imported" ] || { containers images import "$archive" >/dev/null && touch "$archive.imported"; }
  done
  start_scheduler
  start_dns
  start_kubelet
  wait_for "the node is ready" node_is_ready
}

containers() { ctr --address "$dir/containerd.sock" -n k8s.io "$@"; }

# Containers outlive containerd, and their mounts would keep the folder.
stop_node() {
  local one
  kill "${kubelet_pid:-}" 2>/dev/null || true  # it would start them again
  for one in $(containers tasks list -q 2>/dev/null); do containers tasks kill -s KILL "$one" >/dev/null 2>&1 || true; done
  for one in $(containers tasks list -q 2>/dev/null); do containers tasks delete -f "$one" >/dev/null 2>&1 || true; done
  for one in $(containers containers list -q 2>/dev/null); do containers containers delete "$one" >/dev/null 2>&1 || true; done
  pkill -KILL -f "containerd-shim.*$dir/containerd.sock" || true
  for one in $(comm -13 <(echo "${networks_before:-}") <(pod_networks)); do ip netns delete "$one" || true; done
  iptables -t nat -D PREROUTING "${api_redirect[@]}" 2>/dev/null || true
  ip link delete "$bridge" 2>/dev/null || true
  [ -z "${forwarding_before:-}" ] || echo "$forwarding_before" >/proc/sys/net/ipv4/ip_forward
}

unmount_node() {
  local mounted
  for mounted in $(awk -v dir="$dir/" 'index($2, dir) == 1 {print $2}' /proc/self/mounts | sort -r); do umount -l "$mounted" || true; done
}
