begin_own "$2" "$3"
enter "$1"
own_dir "$5"
IFS='
'
for file in $4; do
  mode=$(p --literal-pathspecs ls-files -s -- "$file" | cut -c1-6)
  case $mode in 100644 | 100755) ;; *) continue ;; esac
  # Skip files with a filter, because a filter is a program that may change the content in any way.
  case $(g check-attr filter -- "$file") in *': unspecified' | *': unset') ;; *) continue ;; esac
  p cat-file --filters ":$file" >"$own/content" || continue
  printf '%s\0%s\0%s\0' "$file" "$mode" "$(($(wc -c <"$own/content")))"
  cat "$own/content"
done
exit 0
