# Nodes that run pods: for each a containerd and a kubelet, and for all of them kube-scheduler and CoreDNS, with the API
# server that real_kubernetes.sh has started. Sourced by it with MUSTER_NODE=1; needs root.
#
# All of it is in namespaces of its own: network, mounts and processes. So no cluster disturbs another one or the machine,
# nothing reaches anything beyond, and the kernel removes all of it even if the script is killed. Only the store of a node's
# images, which is slow to fill, and its control groups are the machine's; the node holds a lock on them.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/muster/cluster-images"
nodes=(node-1 node-2)
declare -A slot kubelet_pid

in_namespaces_of_its_own() {  # SCRIPT ARGUMENT…
  # The images are made outside, because this needs the network.
  "$here/../cluster/make_images"
  MUSTER_NODE=inside exec unshare --mount --net --pid --fork --kill-child --mount-proc "$@"
}

prepare_folders() {
  ip link set lo up
  # In memory, so that nothing is left of a cluster that is killed. The others are paths that are fixed in containerd, runc
  # and kubelet.
  local folder
  for folder in "$dir" /run/containerd /var/lib/cni /var/lib/kubelet /var/log/containers; do
    mkdir -p "$folder"
    mount -t tmpfs -o mode=755 tmpfs "$folder"
  done
  : >"$dir/resolv.conf"
}

address_of() { echo "10.77.${1#node-}.1"; }

prepare_bridge() {  # NODE
  local bridge="pods-$1" address
  address=$(address_of "$1")
  ip link add "$bridge" type bridge
  ip address add "$address/24" dev "$bridge"
  ip link set "$bridge" up
  echo 1 >/proc/sys/net/ipv4/ip_forward
  # There is no kube-proxy: the one Service with an address that pods need is the API server's own.
  iptables -t nat -A PREROUTING -i "$bridge" -d 10.99.0.1 -p tcp --dport 443 -j DNAT --to-destination "$address:$api_port"
}

control_groups() { find /sys/fs/cgroup -maxdepth 2 -name "muster-node-${slot[$1]}" -type d; }

remove_control_groups() {  # NODE
  local group
  for group in $(control_groups "$1"); do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true; done
}

# Takes the first store and the control groups that no other node uses.
take_slot() {  # NODE
  local number lock
  for number in {1..32}; do
    mkdir -p "$cache/store-$number"
    exec {lock}>"$cache/store-$number.lock"
    if flock -n "$lock"; then
      slot[$1]=$number
      break
    fi
    exec {lock}>&-
  done
  [ -n "${slot[$1]:-}" ] || { echo "$0: 32 nodes are running" >&2; exit 1; }
  remove_control_groups "$1"  # of a node that was killed
  local controllers=(/sys/fs/cgroup/*/) controller
  [ ! -e /sys/fs/cgroup/cgroup.controllers ] || controllers=(/sys/fs/cgroup/)
  for controller in "${controllers[@]}"; do
    [ ! -e "$controller/cgroup.procs" ] || mkdir -p "$controller/muster-node-${slot[$1]}"
  done
  # A group of version 1 has no processors until it is given some.
  local cpuset="/sys/fs/cgroup/cpuset/muster-node-${slot[$1]}" file
  [ ! -e "$cpuset/cpuset.cpus" ] || for file in cpuset.cpus cpuset.mems; do cat "/sys/fs/cgroup/cpuset/$file" >"$cpuset/$file"; done
}

containers() { local node=$1; shift; ctr --address "$dir/$node/containerd.sock" -n k8s.io "$@"; }

run_containerd() {  # NODE
  containerd --config "$dir/$1/containerd.toml" >>"$dir/$1-containerd.log" 2>&1 &
  containerd_pid=$!
  wait_for "containerd of $1 is ready" containers "$1" version
}

start_containerd() {  # NODE
  local node=$1 address one archive imported
  address=$(address_of "$node")
  mkdir -p "$dir/$node/cni"
  cat >"$dir/$node/cni/10-bridge.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "pods-$node", "isGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "subnet": "${address%.*}.0/24", "rangeStart": "${address%.*}.10", "dataDir": "$dir/$node/ipam",
            "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "loopback"}]}
JSON
  cat >"$dir/$node/containerd.toml" <<TOML
version = 2
root = "$cache/store-${slot[$node]}"
state = "$dir/$node/containerd"
[grpc]
  address = "$dir/$node/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "muster.dev/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/$node/cni"
TOML
  run_containerd "$node"
  if [ -n "$(containers "$node" containers list -q)" ]; then  # those of a node that was killed
    remove_containers "$node"
    kill "$containerd_pid" && wait "$containerd_pid" || true
    run_containerd "$node"
  fi
  pids+=("$containerd_pid")
  for archive in "$cache"/archives/*.tar; do
    imported="$cache/store-${slot[$node]}/$(basename "$archive").imported"
    [ "$archive" -ot "$imported" ] || { containers "$node" images import "$archive" >/dev/null && touch "$imported"; }
  done
}

start_kubelet() {  # NODE
  local node=$1 address
  address=$(address_of "$node")
  kubeconfig_of "$node" "/O=system:nodes/CN=system:node:$node"
  cat >"$dir/$node/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/ca.crt}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /muster-node-${slot[$node]}
failCgroupV1: false
clusterDNS: [$(address_of node-1)]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix://$dir/$node/containerd.sock
podLogsDir: $dir/$node/logs
address: $address
port: $kubelet_port
healthzPort: 0
readOnlyPort: 0
resolvConf: $dir/resolv.conf
failSwapOn: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%}
localStorageCapacityIsolation: false
maxPods: 100
YAML
  "$binaries/kubelet" --config "$dir/$node/kubelet.yaml" --kubeconfig "$dir/$node.kubeconfig" --root-dir "$dir/$node/kubelet" \
    --cert-dir "$dir/$node/pki" --hostname-override "$node" --node-ip "$address" >"$dir/$node-kubelet.log" 2>&1 &
  kubelet_pid[$node]=$!
  pids+=("$!")
}

start_scheduler() {
  kubeconfig_of scheduler /CN=system:kube-scheduler
  "$binaries/kube-scheduler" --kubeconfig "$dir/scheduler.kubeconfig" --leader-elect=false --secure-port 0 >"$dir/scheduler.log" 2>&1 &
  pids+=($!)
}

start_dns() {
  cat >"$dir/Corefile" <<CORE
. {
  bind $(address_of node-1)
  kubernetes cluster.local {
    kubeconfig $dir/kubeconfig contract
    ttl 0
  }
}
CORE
  "$binaries/coredns" -conf "$dir/Corefile" -dns.port 53 >"$dir/coredns.log" 2>&1 &
  pids+=($!)
}

node_is_ready() { [[ $(ask "/api/v1/nodes/$1") =~ \"type\":\ *\"Ready\",[[:space:]]*\"status\":\ *\"True\" ]]; }

start_nodes() {
  local node
  start_scheduler
  start_dns
  for node in "${nodes[@]}"; do
    take_slot "$node"
    start_containerd "$node"
    start_kubelet "$node"
  done
  for node in "${nodes[@]}"; do wait_for "$node is ready" node_is_ready "$node"; done
  MUSTER_NODE_SOCKETS=$(printf "$dir/%s/containerd.sock " "${nodes[@]}")
  export MUSTER_NODE_SOCKETS
}

remove_containers() {  # NODE
  local one
  for one in $(containers "$1" tasks list -q 2>/dev/null); do containers "$1" tasks kill -s KILL "$one" >/dev/null 2>&1 || true; done
  for one in $(containers "$1" tasks list -q 2>/dev/null); do containers "$1" tasks delete -f "$one" >/dev/null 2>&1 || true; done
  for one in $(containers "$1" containers list -q 2>/dev/null); do containers "$1" containers delete "$one" >/dev/null 2>&1 || true; done
}

# Leaves the stores and the control groups as they were found; the kernel does the rest.
stop_nodes() {
  local node
  for node in "${nodes[@]}"; do
    [ -n "${slot[$node]:-}" ] || continue
    { kill "${kubelet_pid[$node]:-}" && wait "${kubelet_pid[$node]}"; } 2>/dev/null || true  # it would start them again
    remove_containers "$node"
    remove_control_groups "$node"
  done
}
