# Prints piece $3 after a line with the words $1 and $2, in one write. Bash writes each line by itself,
# so that answers of different fragments would mix; the program printf does not.
case ${BASH_VERSION-} in
  '') write_piece() { printf '\n%s %s\n%s' "$@"; } ;;
  *) write_piece() { env printf '\n%s %s\n%s' "$@"; } ;;
esac

# Prints answer $2 of fragment $1 in pieces of at most $say_piece bytes, each after a line with
# $say_word. An answer longer than $say_most is printed as empty.
say() {
  [ "${#2}" -le "$say_most" ] || set -- "$1" ''
  r=$2
  while [ "${#r}" -gt "$say_piece" ]; do
    h=$(printf "%.${say_piece}s." "$r"); h=${h%.}; write_piece "$say_word" "$1+" "$h"; r=${r#"$h"}
  done
  write_piece "$say_word" "$1." "$r"
}
