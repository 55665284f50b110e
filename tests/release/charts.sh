#!/usr/bin/env bash
# The Helm chart and the manifests of deploy/kubernetes: helm lints and renders the chart, with its
# defaults and with all that it can have; kustomize builds the manifests; kubectl-validate reads each
# by the schemas of Kubernetes, KEDA and the Prometheus operator. Both say the same of the daemon's
# pod.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tests/stack/deps.sh charts
dir=$(tests/stack/deps.sh where | sed -n 's/^DEPS=//p')/charts
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
chart=deploy/helm/pruned version=1.30

helm() { "$dir/bin/helm" "$@"; }
render() { helm template pruned $chart --kube-version $version.0 "$@"; }
refused() { # WORDS COMMAND...: it fails and says so
  local words=$1
  shift
  if "$@" >"$out/refused" 2>&1 || ! grep -q -- "$words" "$out/refused"; then
    echo "charts: not refused with '$words': $*" >&2
    return 1
  fi
}

cat >"$out/all.yml" <<'EOF'
jobs:
  sessions.conf: |
    [retention sessions.expired]
    table = sessions
    where = expires_at < :T
    audit = keys
serviceMonitor: {enabled: true, labels: {release: prometheus}}
keda: {enabled: true, bootstrapServers: "broker:9092", jobs: [people.erase]}
networkPolicy: {from: [{namespaceSelector: {}}], to: [{ipBlock: {cidr: 10.0.0.0/8}}]}
pullSecrets: [{name: registry}]
podAnnotations: {team: privacy}
nodeSelector: {disk: ssd}
tolerations: [{key: batch, operator: Exists}]
EOF

helm lint --strict $chart -f "$out/all.yml"
render >"$out/defaults.yaml"
render -f "$out/all.yml" >"$out/everything.yaml"
"$dir/bin/kustomize" build deploy/kubernetes >"$out/kustomize.yaml"
for file in defaults everything kustomize; do
  "$dir/bin/kubectl-validate" "$out/$file.yaml" --version $version --local-crds "$dir/kinds"
done
refused 'name the jobs whose runs are counted' render --set keda.enabled=true
refused 'say where Kafka is' render --set keda.enabled=true --set 'keda.jobs={people.erase}'

/usr/bin/python3 - "$out/everything.yaml" "$out/kustomize.yaml" <<'EOF'
import subprocess, sys
import yaml

ONES = ("securityContext", "automountServiceAccountToken", "terminationGracePeriodSeconds", "volumes")
OF_A_CONTAINER = ("args", "securityContext", "ports", "livenessProbe", "readinessProbe", "startupProbe", "volumeMounts", "resources")


def pods(path):
    with open(path) as file:
        for one in yaml.safe_load_all(file):
            if one and one["kind"] in ("Deployment", "Job"):
                spec = one["spec"]["template"]["spec"]
                containers = [{key: c.get(key) for key in OF_A_CONTAINER} for c in spec.get("initContainers", []) + spec["containers"]]
                volumes = [{k: (v if k == "name" else {n: m for n, m in v.items() if n != "name"}) for k, v in x.items()} for x in spec["volumes"]]
                yield one["kind"], {key: spec.get(key) for key in ONES} | {"volumes": volumes, "containers": containers}


chart, manifests = (dict(pods(path)) for path in sys.argv[1:])
assert chart == manifests, f"chart and manifests differ:\n{chart}\n{manifests}"
print("charts: chart and manifests have the same pods")
EOF
