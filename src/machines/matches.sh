# Prints the paths in the arguments that exist, each with a NUL; then another NUL. Prints `!` and a
# NUL in place of more than 200 paths.
matches() {
  if [ "$#" -gt 200 ]; then
    printf '!\0'
  else
    for match in "$@"; do
      if [ -e "$match" ] || [ -L "$match" ]; then printf '%s\0' "$match"; fi
    done
  fi
  printf '\0'
}
