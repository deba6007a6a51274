#!/usr/bin/env bash
# Runs a command with a real API server: etcd, kube-apiserver and kube-controller-manager on free loopback ports, in a
# temporary directory, all removed when the command ends. The command finds the server in $MUSTER_CONTRACT_KUBECONFIG.
# With MUSTER_PEER=1 it is a peer for benchmarks: durable, and without kube-controller-manager. With MUSTER_NODE=1 it is a
# whole cluster, with RBAC, nodes that run pods (tests/cluster/node.sh), all of Kubernetes' own controllers and none of our
# kinds. MUSTER_RBAC=1 gives RBAC without nodes. MUSTER_WITHOUT_KINDS=1 leaves out our kinds, MUSTER_WITHOUT_KUBEFLOW=1 those of
# kubeflow.org, for tests that install them or bring other CRDs of them. If any of these is set, the file
# $MUSTER_CONTRACT_AUDIT has the requests of audit_policy.yaml, one JSON object a line. With MUSTER_RBAC=1 $MUSTER_CONTRACT_OPERATOR
# is the kubeconfig of the user `operator`, who has no rights.
#
#   tests/contract/real_kubernetes.sh build-dev/bin/contract_test
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT…]" >&2; exit 2; }
binaries=$("$here/../../tools/get_kubernetes" ${MUSTER_NODE:+node})
if [ -n "${MUSTER_NODE:-}" ]; then
  . "$here/../cluster/node.sh"
  [ "$MUSTER_NODE" = inside ] || in_namespaces_of_its_own "$0" "$@"
fi
# All servers and pods are on this machine, where a proxy of the environment cannot reach them.
export no_proxy="${no_proxy:+$no_proxy,}localhost,127.0.0.1,::1,10.77.0.0/16,10.99.0.0/24,$(hostname -I | tr -s ' ' ',')"
export NO_PROXY="$no_proxy"

dir=$(mktemp -d "${TMPDIR:-/tmp}/muster-kubernetes.XXXXXX")
pids=()
stop() {
  [ -z "${MUSTER_NODE:-}" ] || stop_nodes
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ -z "${MUSTER_NODE:-}" ] || umount -l "$dir" || true
  rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
[ -z "${MUSTER_NODE:-}" ] || prepare_folders

# The ports are requested together, so that the kernel gives different ones.
read -r etcd_port etcd_peer_port api_port kubelet_port < <(python3 - <<'PY'
import socket
sockets = [socket.socket() for _ in range(4)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
PY
)

address=127.0.0.1
access=(--authorization-mode AlwaysAllow --disable-admission-plugins ServiceAccount)  # no accounts are created
controllers=(--controllers garbage-collector-controller,namespace-controller,resourcequota-controller)
if [ -n "${MUSTER_RBAC:-}" ]; then
  access=(--authorization-mode RBAC --disable-admission-plugins ServiceAccount
    --enable-admission-plugins OwnerReferencesPermissionEnforcement)
  controllers[1]+=,clusterrole-aggregation-controller
  controllers+=(--use-service-account-credentials)
elif [ -n "${MUSTER_NODE:-}" ]; then
  address=0.0.0.0 node_address=$(address_of node-1)
  access=(--authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction,OwnerReferencesPermissionEnforcement
    --advertise-address "$node_address" --allow-privileged --kubelet-preferred-address-types InternalIP
    --kubelet-client-certificate "$dir/admin.crt" --kubelet-client-key "$dir/admin.key")
  controllers=(--use-service-account-credentials)
  for node in "${nodes[@]}"; do prepare_bridge "$node"; done
fi

audit=()
if [ -n "${MUSTER_WITHOUT_KUBEFLOW:-}${MUSTER_RBAC:-}${MUSTER_NODE:-}" ]; then
  audit=(--audit-policy-file "$here/audit_policy.yaml" --audit-log-path "$dir/audit.log" --audit-log-mode blocking)
fi

certificate() {  # NAME SUBJECT EXTENSIONS
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$2" \
    -keyout "$dir/$1.key" -out "$dir/$1.csr" 2>/dev/null
  openssl x509 -req -in "$dir/$1.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" -CAcreateserial -days 2 \
    -extfile <(printf '%s' "$3") -out "$dir/$1.crt" 2>/dev/null
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=contract-ca \
  -keyout "$dir/ca.key" -out "$dir/ca.crt" 2>/dev/null
certificate server /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,DNS:localhost${node_address:+,IP:$node_address,IP:10.99.0.1}"
certificate admin /O=system:masters/CN=admin 'extendedKeyUsage=clientAuth'
openssl genrsa -out "$dir/sa.key" 2048 2>/dev/null
token=$(openssl rand -hex 16)
echo "$token,contract,contract,system:masters" >"$dir/tokens.csv"
if [ -n "${MUSTER_RBAC:-}" ]; then
  operator_token=$(openssl rand -hex 16)
  echo "$operator_token,operator,operator" >>"$dir/tokens.csv"
fi

durability=--unsafe-no-fsync
[ -z "${MUSTER_PEER:-}" ] || durability=--unsafe-no-fsync=false
"$binaries/etcd" --data-dir "$dir/etcd" $durability --log-level error \
  --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
  --listen-peer-urls "http://127.0.0.1:$etcd_peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$etcd_peer_port" \
  --initial-cluster "default=http://127.0.0.1:$etcd_peer_port" >"$dir/etcd.log" 2>&1 &
pids+=($!)
# WatchList is what newer clients use.
"$binaries/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address "$address" \
  --secure-port "$api_port" --tls-cert-file "$dir/server.crt" --tls-private-key-file "$dir/server.key" \
  --client-ca-file "$dir/ca.crt" --token-auth-file "$dir/tokens.csv" \
  --service-account-issuer https://contract --service-account-key-file "$dir/sa.key" \
  --service-account-signing-key-file "$dir/sa.key" --service-cluster-ip-range 10.99.0.0/24 \
  "${access[@]}" "${audit[@]}" --feature-gates WatchList=true >"$dir/apiserver.log" 2>&1 &
pids+=($!)

write_kubeconfig() {  # FILE USER
  {
    printf 'apiVersion: v1\nkind: Config\ncurrent-context: contract\n'
    printf 'clusters:\n- name: contract\n  cluster:\n    server: https://127.0.0.1:%s\n' "$api_port"
    printf '    certificate-authority-data: %s\n' "$(base64 -w0 <"$dir/ca.crt")"
    printf 'users:\n- name: contract\n  user: {%s}\n' "$2"
    printf 'contexts:\n- name: contract\n  context:\n    cluster: contract\n    user: contract\n'
  } >"$1"
  chmod 600 "$1"
}
write_kubeconfig "$dir/kubeconfig" "token: $token"
[ -z "${MUSTER_RBAC:-}" ] || write_kubeconfig "$dir/operator" "token: $operator_token"
kubeconfig_of() {  # NAME SUBJECT: that of a part of Kubernetes that has its own rights
  certificate "$1" "$2" 'extendedKeyUsage=clientAuth'
  write_kubeconfig "$dir/$1.kubeconfig" "client-certificate: $dir/$1.crt, client-key: $dir/$1.key"
}

ask() {  # PATH [CURL ARGUMENT…]
  local path=$1
  shift
  curl -fsS --max-time 5 --cacert "$dir/ca.crt" -H "Authorization: Bearer $token" "$@" "https://127.0.0.1:$api_port$path"
}
wait_for() {  # WHAT COMMAND…
  local what=$1 deadline=$((SECONDS + 120))
  shift
  until "$@" >/dev/null 2>&1; do
    for pid in "${pids[@]}"; do
      kill -0 "$pid" 2>/dev/null || { echo "$0: a server ended early:" >&2; tail -20 "$dir"/*.log >&2; exit 1; }
    done
    [ $SECONDS -lt $deadline ] || { echo "$0: $what: not after 120 s:" >&2; tail -20 "$dir"/*.log >&2; exit 1; }
    sleep 0.2
  done
}
serves() {  # PLURAL GROUP
  local version
  version=$(ask "/apis/$2" | sed -n 's/.*"groupVersion": *"\([^"]*\)".*/\1/p' | tail -1)
  [[ $(ask "/apis/$version") =~ \"name\":\ *\"$1\" ]]
}
wait_for "kube-apiserver is ready" ask /readyz
# The kinds are created before the controllers start, because these look for kinds at start and later only rarely.
crds=("$here"/../../deploy/crds/*.yaml)
if [ -n "${MUSTER_WITHOUT_KUBEFLOW:-}" ]; then
  for i in "${!crds[@]}"; do [[ ${crds[$i]} != *.kubeflow.org.yaml ]] || unset "crds[$i]"; done
fi
[ -z "${MUSTER_WITHOUT_KINDS:-}${MUSTER_NODE:-}" ] || crds=()
for crd in "${crds[@]}"; do
  ask /apis/apiextensions.k8s.io/v1/customresourcedefinitions -H 'Content-Type: application/yaml' --data-binary "@$crd" \
    >/dev/null || { echo "$0: kube-apiserver refuses $crd" >&2; exit 1; }
done
for crd in "${crds[@]}"; do
  name=$(basename "$crd" .yaml)
  wait_for "$name is served" serves "${name%%.*}" "${name#*.}"
done
if [ -z "${MUSTER_PEER:-}" ]; then
  kubeconfig_of manager /CN=system:kube-controller-manager
  "$binaries/kube-controller-manager" --kubeconfig "$dir/manager.kubeconfig" --leader-elect=false --bind-address 127.0.0.1 \
    --secure-port 0 "${controllers[@]}" --root-ca-file "$dir/ca.crt" --service-account-private-key-file "$dir/sa.key" \
    >"$dir/manager.log" 2>&1 &
  pids+=($!)
fi
[ -z "${MUSTER_NODE:-}" ] || start_nodes

MUSTER_CONTRACT_KUBECONFIG="$dir/kubeconfig" MUSTER_CONTRACT_AUDIT="$dir/audit.log" \
  MUSTER_CONTRACT_OPERATOR="$dir/operator" MUSTER_CONTRACT_ETCD_PORT="$etcd_port" "$@"
