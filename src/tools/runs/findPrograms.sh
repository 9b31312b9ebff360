# Prints the absolute path of the first argument that is a program, then the path of git. Prints an
# empty line for each that does not exist.
first_of() {
  for program; do
    found=$(command -v -- "$program") || continue
    case $found in /*) [ -x "$found" ] && [ ! -d "$found" ] && printf '%s\n' "$found" && return ;; esac
  done
  echo
}
first_of "$@"
first_of git
