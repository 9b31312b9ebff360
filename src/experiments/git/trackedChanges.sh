begin_own "$2" "$3"
enter "$1"
own_dir "$git_dir"
kept=
if [ "$4" = keep ]; then
  kept=$own.index
  mkdir -m 700 -- "$kept" || exit 1
  copy_index "$own" "$kept"
fi
printf '%s\0%s\0' "$top" "$kept"
p diff-files --raw -z --no-renames --ignore-submodules=all || exit 1
