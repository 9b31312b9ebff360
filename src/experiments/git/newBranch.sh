# Sets $held to the commit of branch $1 if its files are those of tree $2. Otherwise exits with the
# code of a refusal if a new branch cannot have the name $1.
new_branch() {
  # Git would accept these branch names, but users would confuse them with other revisions.
  case $1 in @ | refs/*) exit 87 ;; esac
  [ ${#1} -le 200 ] && g check-ref-format --branch "$1" >/dev/null 2>&1 || exit 87
  held=
  if g show-ref -q --verify "refs/heads/$1"; then
    [ -n "${2:-}" ] && [ "$(g rev-parse -q --verify "refs/heads/$1^{tree}")" = "$2" ] || exit 86
    held=$(g rev-parse "refs/heads/$1^{commit}")
    return
  fi
  # A branch name cannot also be the folder of other branches.
  taken=$(g for-each-ref --count=1 --format='%(refname:lstrip=2)' "refs/heads/$1/")
  above=$1
  while [ "$above" != "${above%/*}" ] && [ -z "$taken" ]; do
    above=${above%/*}
    if g show-ref -q --verify "refs/heads/$above"; then taken=$above; fi
  done
  [ -z "$taken" ] || { printf '%s\n' "$taken" >&2; exit 89; }
}
