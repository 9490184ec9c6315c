{{/* What everything of this release is called, at most 40 characters, since names of roles follow. */}}
{{- define "rutter.name" -}}
{{- if contains "rutter" .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-rutter" .Release.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "rutter.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/name: rutter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* What finds the pods of one part. Takes [root, part]. */}}
{{- define "rutter.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: rutter
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* An image. Takes [root, image]. */}}
{{- define "rutter.image" -}}
{{- $root := index . 0 -}}{{- $image := index . 1 -}}
{{ $image.repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end -}}

{{- define "rutter.authSecret" -}}
{{- .Values.auth.existingSecret | default (printf "%s-token" (include "rutter.name" .)) -}}
{{- end -}}

{{/* Pod Security `restricted`: of pods. */}}
{{- define "rutter.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* Pod Security `restricted`: of containers. */}}
{{- define "rutter.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* What is the same in the specification of every pod of a role. Takes [root, part, priority class]. */}}
{{- define "rutter.placement" -}}
{{- $root := index . 0 -}}{{- $part := index . 1 -}}{{- $priority := index . 2 -}}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $priority }}
priorityClassName: {{ . }}
{{- end }}
{{- with $root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- if $root.Values.spread }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "rutter.selector" (list $root $part) | nindent 8 }}
{{- end }}
{{- end -}}

{{- define "rutter.priority" -}}
{{- $root := index . 0 -}}{{- $kind := index . 1 -}}
{{- if $root.Values.priorityClasses.create -}}{{ include "rutter.name" $root }}-{{ $kind }}{{- else -}}{{ index $root.Values.priorityClasses $kind }}{{- end -}}
{{- end -}}

{{/* Variables whose values stand in Secrets. */}}
{{- define "rutter.serverEnv" -}}
{{- with .Values.postgres.urlSecret }}{{ if .name }}
- name: RUTTER_STORAGE__SERVERS__POSTGRES
  valueFrom: {secretKeyRef: {name: {{ .name }}, key: {{ .key }}}}
{{- end }}{{ end }}
{{- with .Values.redis.urlSecret }}{{ if .name }}
- name: RUTTER_STORAGE__SERVERS__REDIS__URL
  valueFrom: {secretKeyRef: {name: {{ .name }}, key: {{ .key }}}}
{{- end }}{{ end }}
{{- with .Values.kafka.settingsSecret }}{{ if .name }}
- name: RUTTER_STORAGE__SERVERS__KAFKA__SETTINGS
  valueFrom: {secretKeyRef: {name: {{ .name }}, key: {{ .key }}}}
{{- end }}{{ end }}
{{- end -}}

{{/* The port of each role. */}}
{{- define "rutter.ports" -}}
campaigns: 7401
aggregator: 7402
planner: 7403
graph: 7404
crawler: 7405
{{- end -}}

{{/* What a client of a role is told. Takes [root, role]. */}}
{{- define "rutter.client" -}}
{{- $root := index . 0 -}}{{- $role := index . 1 -}}
{{- $ports := include "rutter.ports" $root | fromYaml -}}
endpoint = "{{ ternary "https" "http" $root.Values.tls.enabled }}://{{ include "rutter.name" $root }}-{{ $role }}:{{ index $ports $role }}"
token = { file = "/run/rutter/token/token" }
{{- if $root.Values.tls.enabled }}
tls = { authority = "/run/rutter/tls/ca.crt" }
{{- end }}
{{- end -}}

{{/* Whether the chart brings a Grid along. */}}
{{- define "rutter.bringsGrid" -}}
{{- and .Values.grid.enabled (not .Values.grid.url) -}}
{{- end -}}

{{- define "rutter.gridSecret" -}}
{{- .Values.grid.existingSecret | default (printf "%s-grid" (include "rutter.name" .)) -}}
{{- end -}}

{{- define "rutter.gridUrl" -}}
{{- .Values.grid.url | default (printf "http://%s-grid:4444" (include "rutter.name" .)) -}}
{{- end -}}

{{/* The ports that gates listen on: those which a kernel gives to whoever asks for none. */}}
{{- define "rutter.gatePorts" -}}
[{port: 32768, endPort: 60999, protocol: TCP}]
{{- end -}}

{{/* Whether the operator scales anything of this release. */}}
{{- define "rutter.hasFleet" -}}
{{- or .Values.fleet.crawlers.enabled .Values.fleet.planners.enabled .Values.fleet.browsers.enabled -}}
{{- end -}}

{{/* What is wrong with the values, as far as the schema cannot say it. */}}
{{- define "rutter.check" -}}
{{- if not .Values.bundled.enabled -}}
{{- if not .Values.kafka.brokers }}{{ fail "where is the event log? set kafka.brokers, or bundled.enabled=true to try it out" }}{{ end -}}
{{- if not (or .Values.redis.url (dig "name" "" .Values.redis.urlSecret)) }}{{ fail "where is Redis? set redis.url or redis.urlSecret, or bundled.enabled=true to try it out" }}{{ end -}}
{{- if not (or .Values.postgres.url (dig "name" "" .Values.postgres.urlSecret)) }}{{ fail "where is PostgreSQL? set postgres.url or postgres.urlSecret, or bundled.enabled=true to try it out" }}{{ end -}}
{{- end -}}
{{- if and .Values.tls.enabled (not .Values.tls.secret) }}{{ fail "tls.enabled needs tls.secret: a Secret with tls.crt, tls.key and ca.crt" }}{{ end -}}
{{- if and .Values.cronJobs .Values.operator.enabled }}{{ fail "cronJobs are for clusters without the operator: use a Schedule, or set operator.enabled=false" }}{{ end -}}
{{- if and (eq (include "rutter.hasFleet" .) "true") (not .Values.operator.enabled) }}{{ fail "fleet is scaled by the operator: set operator.enabled=true" }}{{ end -}}
{{- if and .Values.fleet.browsers.enabled (not .Values.grid.enabled) }}{{ fail "fleet.browsers scales the pods of the Grid: set grid.enabled=true, or scale fleet.crawlers, which have a browser each" }}{{ end -}}
{{- if and .Values.fleet.browsers.enabled .Values.grid.url }}{{ fail "grid.url names a Grid that is given, whose browsers this release does not know: create a Fleet for it yourself" }}{{ end -}}
{{- if and .Values.fleet.browsers.enabled .Values.operator.namespaces (not (has .Release.Namespace .Values.operator.namespaces)) }}{{ fail "fleet.browsers needs an operator that looks after this namespace: add it to operator.namespaces" }}{{ end -}}
{{- if and .Values.grid.url (not .Values.grid.enabled) }}{{ fail "grid.url needs grid.enabled=true" }}{{ end -}}
{{- end -}}
