# Prints answer $2 of fragment $1 in pieces of at most $say_piece bytes, each after a line with
# $say_word. An answer longer than $say_most is printed as empty.
say() {
  [ "${#2}" -le "$say_most" ] || set -- "$1" ''
  r=$2
  while [ "${#r}" -gt "$say_piece" ]; do
    h=$(printf "%.${say_piece}s." "$r"); h=${h%.}; printf '\n%s %s+\n%s' "$say_word" "$1" "$h"; r=${r#"$h"}
  done
  printf '\n%s %s.\n%s' "$say_word" "$1" "$r"
}
