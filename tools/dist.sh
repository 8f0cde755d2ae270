# SPDX-License-Identifier: Apache-2.0
# dist
source "$(dirname "$0")/setup.sh"
(($# == 0)) || usage 'dist takes no arguments'

# Libraries of glibc: of the machine, never ours to bring.
glibc='^(linux-vdso|ld-linux-x86-64|lib(c|m|mvec|pthread|dl|rt|resolv|util))\.so'

# libraries FILE: "name path" for each shared library outside glibc; path is "not" when missing.
libraries() {
  ldd "$1" | awk -v glibc="$glibc" '$2 == "=>" && $1 !~ glibc { print $1, $3 }'
}

[[ $(uname -sm) == 'Linux x86_64' ]] || die "dist is for Linux on x86_64, this is $(uname -sm)"
bash tools/build.sh release glint
version=$(build/release/glint --version)
name=glint-${version#glint }-linux-x86_64
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/$name"
cmake --install build/release --strip --prefix "$scratch/$name" >/dev/null
while read -r _ path; do
  cp -L "$path" "$scratch/$name/"
done < <(libraries "$scratch/$name/glint")
cp README.md LICENSE "$scratch/$name/"
[[ ! -d models ]] || cp -r models "$scratch/$name/"
mkdir -p dist
tar -C "$scratch" --owner=0 --group=0 --sort=name -czf "dist/$name.tar.gz" "$name"

echo 'Unpacking it elsewhere and running it with an empty environment'
mkdir "$scratch/elsewhere"
tar -C "$scratch/elsewhere" -xzf "dist/$name.tar.gz"
rm -r "${scratch:?}/$name"
folder=$scratch/elsewhere/$name
[[ $(cd / && env -i "$folder/glint" --version) == "$version" ]] || die 'it does not say its version'
while read -r library path; do
  [[ $path == "$folder"/* ]] || die "$library comes from '$path', not from the tarball"
done < <(libraries "$folder/glint")
tar -tzf "dist/$name.tar.gz" | head -n 20
echo "dist/$name.tar.gz, $(du -h "dist/$name.tar.gz" | cut -f1)"
