#!/bin/sh
# Installs Hearth from an archive, for one user and without root. docs/install.md describes it.

set -eu

usage() {
  cat <<'END'
Usage: sh install.sh [--prefix FOLDER] [--sha256 SUM] [--dry-run] ARCHIVE
       sh install.sh [--prefix FOLDER] [--dry-run] --uninstall

ARCHIVE is the path or the URL of hearth-VERSION-PLATFORM.tar.gz. Its SHA-256 is read from ARCHIVE.sha256,
unless --sha256 has it. An archive with another one is refused.

  FOLDER/share/hearth/VERSION-PLATFORM   gets the files of the archive; an older version there is removed
  FOLDER/bin/hearth                      runs them

FOLDER is ~/.local unless --prefix names another one. Models and settings in ~/.hearth are never touched.

  --dry-run     say what would be done, and do nothing
  --uninstall   remove what was installed
END
}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

say() {
  echo "$*"
}

# Runs a command, or only shows it.
act() {
  if [ "$dry_run" = yes ]; then
    say "would run: $*"
  else
    "$@"
  fi
}

has() {
  command -v "$1" >/dev/null 2>&1
}

download() {
  if has curl; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif has wget; then
    wget --quiet --output-document="$2" "$1"
  else
    fail 'a URL needs curl or wget'
  fi
}

sum_of() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail 'checking the archive needs sha256sum, shasum or openssl'
  fi
}

# The command is a script, so that it can be told from a command of another installation.
mark='# Installed by install.sh of Hearth.'

is_ours() {
  [ -f "$program" ] && grep -qF "$mark" "$program"
}

check_program() {
  if [ -e "$program" ] || [ -h "$program" ]; then
    is_ours || fail "$program exists and is not of this installer; remove it first"
  fi
}

# Leaves nothing half-written: a running shell may read the old file.
write_program() {
  content=$(printf '#!/bin/sh\n%s\nexec %s "$@"' "$mark" "$(quote "$target/bin/hearth")")
  if is_ours && [ "$(cat "$program")" = "$content" ]; then
    return
  fi
  say "writing $program"
  [ "$dry_run" = no ] || return 0
  mkdir -p "$prefix/bin"
  printf '%s\n' "$content" >"$program.new"
  chmod 755 "$program.new"
  mv -f "$program.new" "$program"
}

quote() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

get_archive() {
  case $archive in
    http://* | https://*)
      say "downloading $archive"
      file=$scratch/${archive##*/}
      download "$archive" "$file"
      [ -n "$expected" ] || download "$archive.sha256" "$file.sha256"
      ;;
    *)
      file=$archive
      [ -f "$file" ] || fail "there is no file $file"
      ;;
  esac
}

check_archive() {
  if [ -z "$expected" ]; then
    [ -f "$file.sha256" ] || fail "$file.sha256 is missing; it has the SHA-256 of the archive, and --sha256 can name it"
    expected=$(cut -d ' ' -f 1 "$file.sha256")
  fi
  found=$(sum_of "$file")
  [ "$found" = "$expected" ] || fail "$file is damaged: its SHA-256 is $found, not $expected"
  # One folder, and nothing outside of it.
  names=$(tar -tzf "$file")
  top=$(printf '%s\n' "$names" | sed 1q)
  top=${top%%/*}
  case $top in
    hearth-[0-9]*) ;;
    *) fail "$file is not an archive of Hearth" ;;
  esac
  # shellcheck disable=SC2016 # The dollar signs are of awk.
  printf '%s\n' "$names" | TOP="$top/" awk 'index($0, ENVIRON["TOP"]) != 1 || /(^|\/)\.\.(\/|$)/ { bad = 1 } END { exit bad }' ||
    fail "$file has files outside of $top"
}

unpack() {
  say "unpacking to $target"
  [ "$dry_run" = no ] || return 0
  mkdir -p "$share"
  # In the same folder, so that one rename makes it complete.
  unpacked=$share/.unpacking-$$
  mkdir "$unpacked"
  tar -xzf "$file" -C "$unpacked"
  "$unpacked/$top/bin/hearth" version >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    fail 'the archive does not run on this machine; nothing was changed'
  }
  printf '%s\n' "$expected" >"$unpacked/$top/.sha256"
  rm -rf "$target"
  mv "$unpacked/$top" "$target"
}

remove_others() {
  for folder in "$share"/*; do
    if [ -d "$folder" ] && [ "$folder" != "$target" ]; then
      say "removing $folder"
      act rm -rf "$folder"
    fi
  done
}

install_archive() {
  check_program
  get_archive
  check_archive
  target=$share/${top#hearth-}
  if [ -f "$target/.sha256" ] && [ "$(cat "$target/.sha256")" = "$expected" ]; then
    say "$target is installed already"
  else
    unpack
  fi
  write_program
  remove_others
  case :$PATH: in
    *:"$prefix/bin":*) say 'run: hearth run ember' ;;
    *) say "run: $program run ember   ($prefix/bin is not in PATH)" ;;
  esac
}

uninstall() {
  if is_ours; then
    say "removing $program"
    act rm -f "$program"
  fi
  if [ -d "$share" ]; then
    say "removing $share"
    act rm -rf "$share"
  fi
  say 'Models and settings stay in ~/.hearth.'
}

prefix=${HOME:-}/.local
expected=
archive=
dry_run=no
mode=install
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --sha256)
      [ $# -gt 1 ] || fail "$1 needs a value"
      if [ "$1" = --prefix ]; then prefix=$2; else expected=$2; fi
      shift
      ;;
    --dry-run) dry_run=yes ;;
    --uninstall) mode=uninstall ;;
    --help | -h)
      usage
      exit 0
      ;;
    -*) fail "unknown option $1; --help lists all" ;;
    *)
      [ -z "$archive" ] || fail 'only one archive can be installed'
      archive=$1
      ;;
  esac
  shift
done
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac
share=$prefix/share/hearth
program=$prefix/bin/hearth

if [ "$mode" = uninstall ]; then
  [ -z "$archive" ] || fail '--uninstall takes no archive'
  uninstall
  exit 0
fi
[ -n "$archive" ] || {
  usage >&2
  exit 2
}
scratch=$(mktemp -d)
unpacked=
trap 'rm -rf "$scratch" ${unpacked:+"$unpacked"}' EXIT
trap 'exit 130' INT TERM
install_archive
