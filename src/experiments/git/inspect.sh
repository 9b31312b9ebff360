# Continues survey.sh. Prints lines of ls about the files that the input names, "- NAME" for each that
# cannot be read, and NAME for each that contains a secret. The input ends with an empty line.
# Reads the names itself: a program could read more of the input. $6: size from which a file is not
# read, in blocks, $7: patterns of secrets.
blocks=$6
ask() { section ask; }
inspect() {
  section listed
  ls -ldn -- "$@" 2>/dev/null &
  secret=$(find "$@" -prune -type f -size "-$blocks" -exec grep -lE -f "$own/patterns" -- {} + 2>/dev/null)
  wait "$!"
  section found
  for file; do [ -r "$file" ] || [ -h "$file" ] || printf -- '- %s\n' "$file"; done
  printf '%s\n' "$secret"
}
inspect_input() {
  length=0
  set --
  while IFS= read -r file && [ -n "$file" ]; do
    set -- "$@" "$file"
    length=$((length + ${#file}))
    [ "$length" -gt 16000 ] || continue
    inspect "$@"
    length=0
    set --
  done
  [ $# -eq 0 ] || inspect "$@"
}
printf '%s\n' "$7" >"$own/patterns"
ask
inspect_input
