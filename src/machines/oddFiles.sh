# Prints the paths of links below folder $1, and of files and folders with blanks, quotes,
# backslashes or signs of patterns in their names, each with a NUL; then another NUL. At most 64 KiB of paths.
odd_files() {
  find "$1" \( -type l -o -name '*[[:space:]\\"*?[]*' -o -name "*'*" \) -print0 2>/dev/null |
    head -c 65536
  printf '\0'
}
