section() { printf '%s\0%s\0' "$mark" "$1"; }
mark=$2
enter "$1" "$4"
if [ -n "$prefix" ] && [ -z "$(g ls-files -- "$prefix" | head -n 1)" ] && g check-ignore -q -- "$prefix"; then exit 88; fi
section place
printf '%s\0%s\0%s\0' "$top" "$head" "$empty"
own_dir "$3" "$mark"
own_index
section changed
p diff-files --raw -z --no-renames --ignore-submodules=dirty || exit 1
section staged
p diff-index --cached --raw -z --no-renames --ignore-submodules=none --no-abbrev "${head:-$empty}" -- || exit 1
section fresh
excludes=$(g config --path core.excludesFile) || excludes=
others() { p ${excludes:+-c} ${excludes:+"core.excludesFile=$excludes"} --literal-pathspecs ls-files -z --others --exclude-standard "$@"; }
others || exit 1
section ignored
if [ -n "$5" ]; then
  files=$5
  IFS='
'
  set --
  for file in $files; do set -- "$@" "$prefix$file"; done
  unset IFS
  others --ignored -- "$@" >"$own/ignored"
  tr '\n\0' '\001\n' <"$own/ignored" | while IFS= read -r file; do
    case $file in *"$(printf '\001')"*) continue ;; esac
    [ -f "$file" ] && printf '%s\0%s\0' "$file" "$(p hash-object --no-filters -- "$file")"
  done
fi
section unwatched
sparse=$(g config --bool core.sparseCheckout)
flags='[a-z]'
[ "$sparse" = true ] || flags='[a-zS]'
p ls-files -v -z | tr '\n\0' '\001\n' | grep "^$flags " | tr '\n\001' '\0\n'
exit 0
