#!/usr/bin/env bash
# Installs what building or testing needs and this machine lacks, and says so. If nothing is missing
# it is silent and fast, and uses no network.
#
#   deps.sh build                                   compiler, libraries, PostgreSQL
#   deps.sh test [python|kafka|pg|s3|promtool|nginx|pgbouncer|registry|shells|browser|fuzz|coverage|
#                   peers|interop|pg14|...|pg18|kafka3.9 ...]
#                   for the tests (default: python kafka pg); pg14: a server of that version, beside
#                   the system's, whose clients are used with it; kafka3.9 likewise
#   deps.sh lint                                    for `make lint`
#   deps.sh deb                                     for `make deb`
#   deps.sh release                                 for `make release-check`
#   deps.sh charts                                  for tests/release/charts.sh
#   deps.sh where                                   what was found, as NAME=value lines
#
# System packages come through apt (with sudo unless root); all else goes to .deps beside the
# Makefile, or to the folder named by PRUNED_DEPS, so that several clones can share one.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
deps=${PRUNED_DEPS:-${here%/tests/stack}/.deps}

versitygw_version=v1.8.0
go_version=1.26.8
declare -A postgres_version=([14]=14.19.0 [15]=15.14.0 [16]=16.10.0 [17]=17.6.0 [18]=18.0.0)
apicurio_version=2.6.13.Final
gcovr_version=8.8
playwright_version=1.65.2
axe_version=0.1.8

progress=
say() { printf 'deps: %s%s\n' "$progress" "$*"; }
die() { printf 'deps: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- what is installed

pg_bin() {
  local dir found=
  for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin; do
    [ -x "$dir/initdb" ] && found=$dir
  done
  [ -n "$found" ] || found=$(pg_config --bindir 2>/dev/null) || return 1
  [ -x "$found/initdb" ] && echo "$found"
}

# A JDK has its version in a file; starting it for that would cost 100 ms.
java_is_new_enough() {
  local home version
  [ -x "$1" ] || return 1
  home=$(dirname "$(dirname "$(readlink -f "$1")")")
  [ -r "$home/release" ] || return 1
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
  [ "${version:-0}" -ge 17 ]
}

java_bin() {
  local java
  for java in ${JAVA_HOME:+"$JAVA_HOME/bin/java"} "$(command -v java || true)" /usr/lib/jvm/*/bin/java; do
    java_is_new_enough "$java" && { echo "$java"; return 0; }
  done
  return 1
}

# --- apt

apt_wanted=()
want() {
  local package
  for package; do
    case " ${apt_wanted[*]-} " in *" $package "*) ;; *) apt_wanted+=("$package") ;; esac
  done
}

sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
apt_log=$deps/apt.log
apt() {
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 "$@" </dev/null
}

apt_is_current=
apt_update() {
  [ -z "$apt_is_current" ] || return 0
  have apt-get || die "no apt-get on this machine; please install: ${apt_wanted[*]-} $*"
  [ -z "$sudo" ] || have sudo ||
    die "neither root nor sudo; run as root: apt-get install -y ${apt_wanted[*]-} $*"
  mkdir -p "$deps"
  apt update >"$apt_log" 2>&1 || say "apt-get update failed, trying with the lists that are here"
  apt_is_current=yes
}

# PostgreSQL's package would make a cluster and start its server, for nobody.
without_cluster() {
  local setting=/etc/postgresql-common/createcluster.d/pruned.conf code=0
  $sudo mkdir -p "${setting%/*}"
  echo 'create_main_cluster = false' | $sudo tee "$setting" >/dev/null
  "$@" || code=$?
  $sudo rm -f "$setting"
  return "$code"
}

apt_install() {
  [ ${#apt_wanted[@]} -gt 0 ] || return 0
  say "installing with apt: ${apt_wanted[*]}"
  apt_update
  local how=
  case " ${apt_wanted[*]} " in *' postgresql '*) how=without_cluster ;; esac
  $how apt install --no-install-recommends "${apt_wanted[@]}" >>"$apt_log" 2>&1 ||
    { tail -n 20 "$apt_log" >&2; die "apt-get install failed (all of it in $apt_log)"; }
  apt_wanted=()
}

# Requests the first of these packages that this release of the distribution has.
want_first() {
  local package policy
  apt_update "$1"
  for package; do
    policy=$(apt-cache policy "$package" 2>/dev/null)
    case $policy in *'Candidate: ('* | '') ;; *) want "$package"; return 0 ;; esac
  done
  die "none of these packages is known here: $*"
}

# --- groups

# pkg-config's name of each library and the package that brings it.
declare -A package_of=(
  [glib-2.0]=libglib2.0-dev [gio-2.0]=libglib2.0-dev [rdkafka]=librdkafka-dev [libpq]=libpq-dev
  [libcurl]=libcurl4-openssl-dev [jansson]=libjansson-dev [uuid]=uuid-dev
  [libmicrohttpd]=libmicrohttpd-dev [avro-c]=libavro-dev [libsodium]=libsodium-dev
)

need_build() {
  have "${CC:-cc}" || have gcc || want gcc libc6-dev
  have make || want make
  have python3 || want python3
  pg_bin >/dev/null || want postgresql
  have pkg-config || want pkg-config
  if ! pkg-config --exists "${!package_of[@]}" 2>/dev/null; then
    local library
    for library in "${!package_of[@]}"; do
      pkg-config --exists "$library" 2>/dev/null || want "${package_of[$library]}"
    done
  fi
  have glib-compile-resources || want libglib2.0-dev-bin
  have kcat || have kafkacat || want_first kcat kafkacat
  apt_install
}

need_pg() {
  pg_bin >/dev/null || want postgresql
  apt_install
}

# Its package starts a service where there is an init; the tests start their own server.
need_pgbouncer() {
  have pgbouncer || [ -x /usr/sbin/pgbouncer ] || want pgbouncer
  apt_install
}

need_python() {
  local venv=$deps/venv wanted=$here/requirements.txt
  have jq || want jq # an example of the documents pipes into it
  cmp -s "$wanted" "$venv/installed.txt" && [ -x "$venv/bin/python" ] && { apt_install; return 0; }
  have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null || want python3 python3-venv
  apt_install
  say "installing into $venv: $(grep -v '^#' "$wanted" | tr '\n' ' ')"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: -r "$wanted"
  cp "$wanted" "$venv/installed.txt"
}

need_java() {
  java_bin >/dev/null && return 0
  want_first openjdk-21-jre-headless openjdk-17-jre-headless openjdk-25-jre-headless
  apt_install
  java_bin >/dev/null || die "no Java 17 or newer found after installing one"
}

need_maven() {
  need_java
  have mvn && return 0
  want maven
  apt_install
}

maven() {
  JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$(java_bin)")")") \
    mvn -q -B "$@" >"$deps/maven.log" 2>&1 </dev/null ||
    { tail -n 20 "$deps/maven.log" >&2; die "maven failed (all of it in $deps/maven.log)"; }
}

# Its own version, or the one that is named, beside it.
need_kafka() {
  need_java
  local dir=$deps/kafka${1:+-$1} change= wanted
  [ $# = 0 ] || change="/<artifactId>kafka_/{n;s|>.*<|>$1.1<|;}"
  wanted=$(sed "$change" "$here/kafka.pom.xml")
  [ "$wanted" = "$(cat "$dir/installed.xml" 2>/dev/null)" ] && return 0
  need_maven
  say "fetching Apache Kafka${1:+ $1} from Maven Central into $dir"
  rm -rf "$dir"
  mkdir -p "$dir"
  echo "$wanted" >"$dir/pom.xml"
  maven -f "$dir/pom.xml" dependency:copy-dependencies -DoutputDirectory="$dir/libs"
  mv "$dir/pom.xml" "$dir/installed.xml"
}

# A server of another version than the system's: the binaries that zonky builds.
need_pg_of() {
  local dir=$deps/postgres-$1 version=${postgres_version[$1]} system
  [ -e "$dir/installed-$version" ] && return 0
  case $(uname -m) in
    x86_64) system=linux-amd64 ;;
    aarch64) system=linux-arm64v8 ;;
    *) die "there are no PostgreSQL binaries for $(uname -m)" ;;
  esac
  need_maven
  have xz || { want xz-utils; apt_install; }
  say "fetching PostgreSQL $version from Maven Central into $dir"
  rm -rf "$dir"
  mkdir -p "$dir"
  maven dependency:copy "-Dartifact=io.zonky.test.postgres:embedded-postgres-binaries-$system:$version" -DoutputDirectory="$dir"
  python3 -m zipfile -e "$dir"/*.jar "$dir"
  tar -xJf "$dir"/*.txz -C "$dir"
  rm "$dir"/*.jar "$dir"/*.txz
  touch "$dir/installed-$version"
}

need_registry() {
  need_java
  local dir=$deps/registry artifact=io.apicurio:apicurio-registry-app:$apicurio_version:tar.gz:all
  [ -e "$dir/installed-$apicurio_version" ] && return 0
  need_maven
  say "fetching the Apicurio schema registry from Maven Central into $dir"
  rm -rf "$dir"
  mkdir -p "$dir"
  maven dependency:copy -Dartifact="$artifact" -DoutputDirectory="$dir"
  tar -xzf "$dir"/*.tar.gz -C "$dir"
  rm "$dir"/*.tar.gz
  touch "$dir/installed-$apicurio_version"
}

# A Go that can build the gateway. Go 1.21 or newer fetches the toolchain that it needs by itself;
# an older one can fetch it as a module.
go_tool() {
  local minor
  minor=$(go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  if [ "${minor:-0}" -ge 21 ]; then echo go; return 0; fi
  local arch dir
  arch=$(go env GOARCH)
  dir=$(cd "$deps" && GO111MODULE=on GOFLAGS=-mod=mod go mod download -json \
        "golang.org/toolchain@v0.0.1-go$go_version.linux-$arch" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  [ -d "$dir" ] || die "no Go toolchain $go_version to be had"
  if [ ! -x "$deps/go/bin/go" ]; then
    cp -r "$dir" "$deps/go"
    chmod -R u+w "$deps/go"
    chmod +x "$deps/go/bin/"* "$deps"/go/pkg/tool/*/*
  fi
  echo "$deps/go/bin/go"
}

need_s3() {
  local stamp=$deps/bin/versitygw-$versitygw_version go
  [ -x "$deps/bin/versitygw" ] && [ -e "$stamp" ] && return 0
  have go || { want golang-go ca-certificates; apt_install; }
  say "building the S3 gateway versitygw $versitygw_version into $deps/bin"
  mkdir -p "$deps/bin"
  go=$(go_tool)
  GOBIN=$(cd "$deps/bin" && pwd) GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false \
    "$go" install "github.com/versity/versitygw/cmd/versitygw@$versitygw_version" \
    >"$deps/go.log" 2>&1 </dev/null || { tail -n 20 "$deps/go.log" >&2; die "go install failed"; }
  touch "$stamp"
}

# Evaluates alert rules. Only this program is taken: its package would install a server. Without it
# the tests that need it are skipped; with CI=true they fail.
need_promtool() {
  have promtool || [ -x "$deps/bin/promtool" ] && return 0
  local folder
  have apt-get || { say "no apt-get here to fetch promtool with: nobody evaluates the alert rules"; return 0; }
  folder=$(mktemp -d)
  chmod 777 "$folder" # apt fetches as a user of its own
  apt_update prometheus
  say "fetching promtool into $deps/bin"
  # Its own package from Debian 13 on; before that, a part of prometheus.
  (cd "$folder" && { apt-get -qq download promtool || apt-get -qq download prometheus; } &&
    dpkg-deb --fsys-tarfile ./*.deb | tar -x ./usr/bin/promtool) \
    >>"$apt_log" 2>&1 && mkdir -p "$deps/bin" && mv "$folder/usr/bin/promtool" "$deps/bin/" ||
    say "promtool cannot be had (see $apt_log): nobody evaluates the alert rules"
  rm -rf "$folder"
}

# What stands before the page. Only this program is taken, as of promtool.
need_nginx() {
  have nginx || [ -x /usr/sbin/nginx ] || [ -x "$deps/bin/nginx" ] && return 0
  local folder
  have apt-get || { say "no apt-get here to fetch nginx with: no page is asked behind a proxy"; return 0; }
  folder=$(mktemp -d)
  chmod 777 "$folder" # apt fetches as a user of its own
  apt_update nginx
  say "fetching nginx into $deps/bin"
  # Ubuntu 22.04 has the program in a package of its own.
  (cd "$folder" && apt-get -qq download nginx && { apt-get -qq download nginx-core || true; } &&
    for package in ./*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x ./usr/sbin/nginx || true; done) \
    >>"$apt_log" 2>&1 && mkdir -p "$deps/bin" && mv "$folder/usr/sbin/nginx" "$deps/bin/" ||
    say "nginx cannot be had (see $apt_log): no page is asked behind a proxy"
  rm -rf "$folder"
}

# libFuzzer's runtime is a package of its own on newer releases.
need_fuzz() {
  have clang && echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null && return 0
  want clang
  apt_install
  local major
  major=$(clang -dumpversion | cut -d. -f1)
  want_first "libclang-rt-$major-dev" "libclang-common-$major-dev"
  apt_install
}

need_coverage() {
  "$deps/venv/bin/python" -c 'import gcovr' 2>/dev/null && return 0
  need_python
  say "installing gcovr $gcovr_version into $deps/venv"
  "$deps/venv/bin/python" -m pip install -q --disable-pip-version-check "gcovr==$gcovr_version"
}

# A browser, what drives it, and what says whether everybody can read a page. Without it the tests
# that need it are skipped; with CI=true they fail.
need_browser() {
  need_python
  have chromium-headless-shell || have chromium || want_first chromium-headless-shell chromium
  apt_install
  "$deps/venv/bin/python" -c 'import playwright, axe_playwright_python' 2>/dev/null && return 0
  say "installing playwright $playwright_version and axe-playwright-python $axe_version into $deps/venv"
  "$deps/venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: \
    "playwright==$playwright_version" "axe-playwright-python==$axe_version"
}

# Other programs that `make bench` measures beside ours.
need_peers() {
  local dir=$deps/peers wanted=${here%/stack}/bench/graphile/package.json
  cmp -s "$wanted" "$dir/installed.json" && have node && return 0
  have node || want nodejs
  have npm || want npm
  apt_install
  say "installing Graphile Worker with npm into $dir"
  rm -rf "$dir"
  mkdir -p "$dir"
  cp "$wanted" "$dir/package.json"
  (cd "$dir" && npm install --silent --no-audit --no-fund --no-package-lock) >"$deps/npm.log" 2>&1 </dev/null ||
    { tail -n 20 "$deps/npm.log" >&2; die "npm install failed"; }
  cp "$wanted" "$dir/installed.json"
}

# The clients of `make interop`: Kafka Connect with Debezium, and the libraries of examples/outcomes.
need_interop() {
  need_registry
  local dir=$deps/interop project=${here%/tests/stack} wanted
  wanted=$(cat "$project"/tests/interop/pom.xml "$project"/examples/outcomes/{pom.xml,package.json,go/go.sum,go/main.go})
  [ "$(cat "$dir/installed" 2>/dev/null)" = "$wanted" ] && have node && have go && have javac && return 0
  have node || want nodejs
  have npm || want npm
  have go || want golang-go ca-certificates
  apt_install
  have javac || { want_first openjdk-21-jdk-headless openjdk-17-jdk-headless openjdk-25-jdk-headless; apt_install; }
  need_maven
  say "fetching Kafka Connect, Debezium and the libraries of examples/outcomes into $dir"
  rm -rf "$dir"
  mkdir -p "$dir/outcomes/node"
  maven -f "$project/tests/interop/pom.xml" dependency:copy-dependencies -DoutputDirectory="$dir/connect"
  maven -f "$project/examples/outcomes/pom.xml" dependency:copy-dependencies -DoutputDirectory="$dir/outcomes/java"
  cp "$project/examples/outcomes/package.json" "$dir/outcomes/node/"
  (cd "$dir/outcomes/node" && npm install --silent --no-audit --no-fund --no-package-lock) >"$deps/npm.log" 2>&1 </dev/null ||
    { tail -n 20 "$deps/npm.log" >&2; die "npm install failed"; }
  (cd "$project/examples/outcomes/go" && GOTOOLCHAIN=auto "$(go_tool)" build -o "$dir/outcomes/read-outcomes" .) \
    >"$deps/go.log" 2>&1 </dev/null || { tail -n 20 "$deps/go.log" >&2; die "go build failed"; }
  echo "$wanted" >"$dir/installed"
}

need_lint() {
  have cppcheck || want cppcheck
  have python3 || want python3
  apt_install
}

# What debian/control wants, and what looks at the package.
need_deb() {
  need_build
  have dh || want debhelper
  have lintian || want lintian
  apt_install
}

# Other shells than bash, for their completion, and who reads manual pages.
need_shells() {
  have zsh || want zsh
  have fish || want fish
  have mandoc || want mandoc
  apt_install
}

# What reads charts and manifests, and the definitions of kinds that are not Kubernetes' own.
need_charts() {
  local dir=$deps/charts go module from
  /usr/bin/python3 -c 'import yaml' 2>/dev/null || { want python3-yaml; apt_install; }
  [ -e "$dir/installed" ] && return 0
  have go || { want golang-go ca-certificates; apt_install; }
  say "building helm, kustomize and kubectl-validate into $dir"
  rm -rf "$dir"
  mkdir -p "$dir/bin" "$dir/kinds"
  go=$(go_tool)
  for module in helm.sh/helm/v3/cmd/helm@v3.19.0 sigs.k8s.io/kustomize/kustomize/v5@v5.7.1 sigs.k8s.io/kubectl-validate@v0.0.4; do
    GOBIN=$(cd "$dir/bin" && pwd) GOTOOLCHAIN=auto GOFLAGS=-buildvcs=false "$go" install "$module" >"$deps/go.log" 2>&1 </dev/null ||
      { tail -n 20 "$deps/go.log" >&2; die "go install $module failed"; }
  done
  for module in github.com/kedacore/keda/v2@v2.17.2 github.com/prometheus-operator/prometheus-operator@v0.85.0; do
    from=$(cd "$dir" && GO111MODULE=on GOFLAGS=-mod=mod "$go" mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
    find "$from" -name 'keda.sh_scaledobjects.yaml' -o -path '*/prometheus-operator-crd/*_servicemonitors.yaml' |
      while read -r file; do install -m 644 "$file" "$dir/kinds/"; done
  done
  touch "$dir/installed"
}

need_release() {
  have debootstrap || want debootstrap
  have unshare || want util-linux
  have git || want git
  apt_install
}

where() {
  mkdir -p "$deps"
  echo "DEPS=$(cd "$deps" && pwd)"
  echo "PG_BIN=$(pg_bin || true)"
  local major
  for major in "${!postgres_version[@]}"; do
    echo "PG${major}_BIN=$(ls -d "$deps/postgres-$major/bin" 2>/dev/null || true)"
  done
  echo "JAVA=$(java_bin || true)"
  echo "PGBOUNCER=$(command -v pgbouncer || ls /usr/sbin/pgbouncer 2>/dev/null || true)"
  echo "NGINX=$(command -v nginx || ls /usr/sbin/nginx "$deps/bin/nginx" 2>/dev/null | head -n 1 || true)"
  echo "PROMTOOL=$(command -v promtool || ls "$deps/bin/promtool" 2>/dev/null || true)"
}

# Of two runs at once the second waits, then finds everything installed.
locked() {
  mkdir -p "$deps"
  exec 9>"$deps/lock"
  flock 9
}

task=${1:-}
shift || true
case $task in
  build) need_build ;;
  lint) need_lint ;;
  deb) need_deb ;;
  release) need_release ;;
  charts) locked; need_charts ;;
  test)
    [ $# -gt 0 ] || set -- python kafka pg
    locked
    n=0
    for part; do
      n=$((n + 1)) progress="$n of $#: "
      case $part in
        python|kafka|pg|s3|promtool|nginx|pgbouncer|registry|shells|browser|fuzz|coverage|peers|interop) "need_$part" ;;
        kafka3.9) need_kafka 3.9 ;;
        pg1[4-8]) need_pg_of "${part#pg}" ;;
        *) die "unknown part '$part'; one of: python kafka pg s3 promtool nginx pgbouncer registry shells browser fuzz coverage peers interop pg14 ... pg18 kafka3.9" ;;
      esac
    done ;;
  where) where ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 1 ;;
esac
