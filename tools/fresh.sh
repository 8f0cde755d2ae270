# SPDX-License-Identifier: Apache-2.0
# fresh [TASK]
# A bare Debian 12 with this machine's way to its packages: sources, proxy, certificates. Each task
# is the first command in a new copy with a clone of HEAD, as for someone who just cloned.
source "$(dirname "$0")/setup.sh"

case "$*" in
  '') wanted=(demo test) ;;
  demo | test) wanted=("$1") ;;
  *) usage "fresh takes demo, test or nothing, not '$*'" ;;
esac
declare -A limit_s=([demo]=720 [test]=1500)
((EUID == 0)) || die 'fresh needs root: it makes a chroot'
need "${fresh_packages[@]}"
[[ -z $(git status --porcelain) ]] || echo 'Note: tests HEAD, without what is not committed'

# Debian's sources on this machine as "uri suite component"; those of others stay out.
sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u
}
[[ $(sources) ]] || apt-get -qq update
mirror=$(sources | awk '$2 == "bookworm" { print $1; exit }')
[[ $mirror ]] || die 'this machine has no apt source for Debian bookworm'

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
cache=${XDG_CACHE_HOME:-$HOME/.cache}/glint
base=$cache/bookworm-minbase.tar
if [[ ! -f $base ]]; then
  echo 'Making the bare system (once)'
  mkdir -p "$cache"
  debootstrap --variant=minbase bookworm "$scratch/base" "$mirror" >"$cache/debootstrap.log" ||
    die "debootstrap failed, see $cache/debootstrap.log"
  tar -C "$scratch/base" -cf "$base.part" .
  mv "$base.part" "$base"
  rm -rf --one-file-system "$scratch/base"
fi

# copy_in PATH...: files and folders that exist, links followed, to the same place in $system.
copy_in() {
  local path
  for path; do
    [[ -e $path ]] || continue
    mkdir -p "$system${path%/*}"
    rm -rf "${system:?}$path"
    cp -rL "$path" "$system$path"
  done
}

# prepare TASK: a new copy in $system.
prepare() {
  system=$scratch/$1
  mkdir "$system"
  tar -C "$system" -xf "$base"
  sources | sed 's/^/deb /' >"$system/etc/apt/sources.list"
  mapfile -t settings < <(grep -lE '^ *Acquire::' /etc/apt/apt.conf.d/* || true)
  copy_in "${settings[@]}" /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs \
    /usr/local/share/ca-certificates ${PIP_FIND_LINKS:+"$PIP_FIND_LINKS"}
  git clone --quiet --no-hardlinks "$root" "$system/glint"
}

# The variables that say how to reach the package registries.
mapfile -t ways < <(compgen -e | grep -iE '(_proxy|cert|ssl|ca_bundle)|^pip_' || true)
environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true)
for name in "${ways[@]}"; do
  environment+=("$name=${!name}")
done

# inside TASK: in its own mounts and processes, which end with it.
inside() {
  timeout --kill-after=10 "${limit_s[$1]}" \
    unshare --mount --pid --fork --kill-child bash -euc '
      mount -t proc proc "$1/proc"
      mount -t devpts devpts "$1/dev/pts"
      mount -t tmpfs tmpfs "$1/dev/shm"
      exec chroot "$@"' inside "$system" env -i "${environment[@]}" \
    bash -c 'cd /glint && exec ./run "$0"' "$1" </dev/null
}

failed=0
for task in "${wanted[@]}"; do
  echo "== ./run $task on a bare Debian 12, at most ${limit_s[$task]} s"
  prepare "$task"
  start=$SECONDS code=0
  inside "$task" || code=$?
  case $code in 0) says=ok ;; 124 | 137) says='FAILED, too slow' ;; *) says="FAILED ($code)" ;; esac
  echo "== ./run $task: $says, $((SECONDS - start)) s"
  ((code == 0)) || failed=$((failed + 1))
  rm -rf --one-file-system "$system"
done
echo "$((${#wanted[@]} - failed)) passed, $failed failed, 0 skipped"
exit $((failed > 0))
