#!/bin/sh
# Installs the program `eocc` from a release, after checking its SHA-256.
#
#     sh install.sh [--version v0.1.0] [--dir ~/.local/bin] [--from URL]
#
# Linux on x86_64 and aarch64, with glibc 2.17 or later or with musl. Needs curl or wget, tar, and sha256sum or shasum.
# Releases name their own repository here.
REPOSITORY="${EOCC_REPOSITORY:-}"

set -eu

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

version=latest
folder="${EOCC_INSTALL_DIR:-$HOME/.local/bin}"
from=
while [ $# -gt 0 ]; do
    case "$1" in
        --version | --dir | --from) [ $# -ge 2 ] || fail "$1 needs a value" ;;
    esac
    case "$1" in
        --version) version="$2"; shift 2 ;;
        --dir) folder="$2"; shift 2 ;;
        --from) from="$2"; shift 2 ;;
        -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "unknown option $1 (see --help)" ;;
    esac
done

if [ -z "$from" ]; then
    [ -n "$REPOSITORY" ] || fail "no releases are known: pass --from URL, or set EOCC_REPOSITORY=owner/name"
    if [ "$version" = latest ]; then
        from="https://github.com/$REPOSITORY/releases/latest/download"
    else
        from="https://github.com/$REPOSITORY/releases/download/$version"
    fi
fi

[ "$(uname -s)" = Linux ] || fail "there are no binaries for $(uname -s): build from source with `cargo install`"
case "$(uname -m)" in
    x86_64 | amd64) arch=x86_64 ;;
    aarch64 | arm64) arch=aarch64 ;;
    *) fail "there are no binaries for $(uname -m): build from source with `cargo install`" ;;
esac
libc=gnu
if (ldd --version 2>&1 || true) | grep -qi musl; then libc=musl; fi
name="eocc-$arch-unknown-linux-$libc"

if command -v curl > /dev/null; then
    get() { curl --fail --silent --show-error --location --output "$2" "$1"; }
elif command -v wget > /dev/null; then
    get() { wget --quiet --output-document="$2" "$1"; }
else
    fail "curl or wget is needed"
fi
if command -v sha256sum > /dev/null; then
    sum() { sha256sum "$1" | cut -d' ' -f1; }
elif command -v shasum > /dev/null; then
    sum() { shasum -a 256 "$1" | cut -d' ' -f1; }
else
    fail "sha256sum or shasum is needed"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
get "$from/SHA256SUMS" "$work/SHA256SUMS" || fail "cannot download $from/SHA256SUMS"
get "$from/$name.tar.gz" "$work/$name.tar.gz" || fail "cannot download $from/$name.tar.gz"
wanted=$(awk -v file="$name.tar.gz" '$2 == file || $2 == "*" file { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS does not list $name.tar.gz"
found=$(sum "$work/$name.tar.gz")
[ "$wanted" = "$found" ] || fail "$name.tar.gz has the checksum $found instead of $wanted: nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
"$work/$name/eocc" --version > /dev/null || fail "the program does not run on this system: build from source with `cargo install`"
mkdir -p "$folder"
# A rename within the folder, so that a running program is never half replaced.
cp "$work/$name/eocc" "$folder/.eocc.$$"
chmod 755 "$folder/.eocc.$$"
mv "$folder/.eocc.$$" "$folder/eocc"
echo "installed $("$folder/eocc" --version) in $folder"
case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "add it to your PATH: export PATH=\"$folder:\$PATH\"" ;;
esac
