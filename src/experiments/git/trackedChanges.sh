enter "$1"
own_dir "$2" "$3"
own_index
printf '%s\0' "$top"
p diff-files --raw -z --no-renames --ignore-submodules=all || exit 1
