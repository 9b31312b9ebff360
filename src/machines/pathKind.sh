# Prints a sign for what the path $1 leads to: `/` for a folder, `!` for a file that begins like a
# private key, `=` for another file. Prints nothing if there is no file.
path_kind() {
  if [ -d "$1" ]; then
    printf /
  elif [ -f "$1" ] && [ -r "$1" ] && head -c 200 -- "$1" 2>/dev/null |
    LC_ALL=C grep -q -e '^[[:space:]]*-----BEGIN [A-Z0-9 ]*PRIVATE KEY'; then
    printf '!'
  elif [ -e "$1" ]; then
    printf '='
  fi
}
