# Continues usersCommit.sh. Prints the names of new files of commit $2. Then, each after a field "//",
# the names of the files that were new in the checkout when the session began, and those of them that
# differ now. The session stored that checkout under the ref $3, beside the ref of the commit.
enter_repo "$1"
users_commit "$2"
added() { g diff-tree -r -z --name-only --no-renames --diff-filter=A "$1" "$2"; }
added "${parent:-$empty}" "$commit"
stored=$(g for-each-ref --points-at "$commit" --format='%(refname)' refs/helios | head -n 1)
start=$(g rev-parse -q --verify "${stored%/*}/$3^{commit}") || exit 0
before=$(g rev-parse -q --verify "$start^") || exit 0
printf '//\0'
added "$before" "$start"
printf '//\0'
g diff-tree -r -z --name-only --no-renames "$start" "$commit"
