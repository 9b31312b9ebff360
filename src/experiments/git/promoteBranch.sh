enter_repo "$1"
# Git would accept these branch names, but users would confuse them with other revisions.
case $2 in @ | refs/*) exit 87 ;; esac
[ ${#2} -le 200 ] && g check-ref-format --branch "$2" >/dev/null 2>&1 || exit 87
if g show-ref -q --verify "refs/heads/$2"; then exit 86; fi
# A branch name cannot also be the folder of other branches.
taken=$(g for-each-ref --count=1 --format='%(refname:lstrip=2)' "refs/heads/$2/")
above=$2
while [ "$above" != "${above%/*}" ] && [ -z "$taken" ]; do
  above=${above%/*}
  if g show-ref -q --verify "refs/heads/$above"; then taken=$above; fi
done
[ -z "$taken" ] || { printf '%s\n' "$taken" >&2; exit 89; }
promoted_tree "$3"
date=$(g log -1 --format=%ct "$commit")
GIT_AUTHOR_DATE="$date +0000" GIT_COMMITTER_DATE="$date +0000"
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
promoted=$(g commit-tree "$tree" ${parent:+-p "$parent"} -m "$4") || exit 1
g update-ref -m 'helios: promoted' "refs/heads/$2" "$promoted" "" || exit 1
printf '%s' "$promoted"
