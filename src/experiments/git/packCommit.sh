# Prints commit $2 as a pack, without the objects that the commits of the input contain.
enter_repo "$1"
{ printf '%s\n' "$2"; sed 's/^/^/'; } | g pack-objects --revs --stdout -q
