# Prints the paths of links below folder $1, and of files and folders with blanks, quotes,
# backslashes or signs of patterns in their names, each with a NUL; then another NUL. Of the files
# that git tracks, also those that do not exist, and those whose path in $1 begins with a dash. At
# most 64 KiB of paths.
odd_files() {
  {
    LC_ALL=C find "$1" \( -type l -o -name '*[[:space:]\\"*?[]*' -o -name "*'*" \) -print0 2>/dev/null
    git --no-optional-locks -C "$1" -c core.fsmonitor=false ls-files -z 2>/dev/null |
      tr '\n\0' '\001\n' | LC_ALL=C grep "^-\|[[:space:][:cntrl:]\\\\\"*?'[]" |
      while IFS= read -r name; do printf '%s/%s\0' "$1" "$name"; done | tr '\001' '\n'
  } | head -c 65536
  printf '\0'
}
