{{- define "muster.selector" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/component: operator
{{- end }}

{{- define "muster.labels" -}}
{{ include "muster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion }}
app.kubernetes.io/managed-by: muster
{{- end }}

{{/* A role and its binding: .root, .name, .namespace ("" for the cluster) and .rules. */}}
{{- define "muster.grant" -}}
{{- $cluster := eq .namespace "" }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "ClusterRole" "Role" $cluster }}
metadata:
  name: {{ .name }}
  {{- if not $cluster }}
  namespace: {{ .namespace }}
  {{- end }}
  labels: {{- include "muster.labels" .root | nindent 4 }}
rules: {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "ClusterRoleBinding" "RoleBinding" $cluster }}
metadata:
  name: {{ .name }}
  {{- if not $cluster }}
  namespace: {{ .namespace }}
  {{- end }}
  labels: {{- include "muster.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ ternary "ClusterRole" "Role" $cluster }}
  name: {{ .name }}
subjects:
- kind: ServiceAccount
  name: muster-operator
  namespace: {{ .root.Release.Namespace }}
{{- end }}
