# Prints the paths in the arguments that exist, each with a NUL, then a line end and a NUL. Prints
# `!` in place of more than 200 paths.
matches() {
  if [ "$#" -gt 200 ]; then
    printf '!'
  else
    for match in "$@"; do
      if [ -e "$match" ] || [ -L "$match" ]; then printf '%s\0' "$match"; fi
    done
  fi
  printf '\n\0'
}
