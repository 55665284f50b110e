{{- define "pruned.labels" -}}
app.kubernetes.io/name: pruned
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "pruned.selector" -}}
app.kubernetes.io/name: pruned
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pruned.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* A user of its own, nothing written, no rights. */ -}}
{{- define "pruned.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "pruned.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "pruned.env" -}}
- {name: PRUNED_CONFIG, value: /etc/pruned/pruned.conf}
- {name: PRUNED_RUN_JOBS_DIR, value: /etc/pruned/jobs.d}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{- define "pruned.mounts" -}}
- {name: config, mountPath: /etc/pruned/pruned.conf, subPath: pruned.conf, readOnly: true}
- {name: jobs, mountPath: /etc/pruned/jobs.d, readOnly: true}
{{- end }}

{{- define "pruned.jobsVolume" -}}
- name: jobs
  configMap: {name: {{ .Release.Name }}-jobs, defaultMode: 0444}
{{- end }}
