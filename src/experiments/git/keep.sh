ref=$3 message=$4 following=$5 kinds=$7
enter "$1" "$following"
own_dir "$2" "$6"
cat >"$own/in"
own_index
# Updates the index with the input lines that begin with the letter $1. $kinds names all such letters.
update() {
  case $kinds in *"$1"*) ;; *) return 0 ;; esac
  letter=$1
  shift
  sed -n "s/^$letter//p" "$own/in" | tr '\n\001' '\0\n' | p update-index -z "$@" || exit 1
}
update V --no-assume-unchanged --stdin
update V --no-skip-worktree --stdin
update A --add --remove --replace --stdin
update H --replace --index-info
tree=$(p write-tree --missing-ok) || exit 1
head_tree=$empty
[ -z "$head" ] || head_tree=$(g rev-parse "$head^{tree}") || exit 1
printf '%s\0%s\0' "$tree" "$head_tree"
[ "$objects" = "$common/objects" ] || exit 0
[ -z "$following" ] || [ "$tree" != "$head_tree" ] || exit 0
[ -n "$ref" ] || exit 0
commit=$(p commit-tree "$tree" ${head:+-p "$head"} -m "$message") &&
  g update-ref -m helios "$ref" "$commit" || exit 1
printf '%s\0' "$commit"
[ -n "$following" ] || exit 0
cp -p -- "$own/index" "$git_dir/index.helios" && mv -f -- "$git_dir/index.helios" "$git_dir/index" &&
  g update-ref --no-deref -m helios HEAD "$commit"
