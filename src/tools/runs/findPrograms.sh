# Prints the absolute path of the first argument that is a program, then the path of git. Prints an
# empty line for each that does not exist. On a Mac without the command line tools, /usr/bin/python3
# and /usr/bin/git only open a dialog.
is_placeholder() {
  case $1 in /usr/bin/git | /usr/bin/python3) ;; *) return 1 ;; esac
  command -v xcode-select >/dev/null && ! xcode-select -p >/dev/null 2>&1
}
first_of() {
  for program; do
    found=$(command -v -- "$program") || continue
    ! is_placeholder "$found" || continue
    case $found in /*) [ -x "$found" ] && [ ! -d "$found" ] && printf '%s\n' "$found" && return ;; esac
  done
  echo
}
first_of "$@"
first_of git
