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
excludes='' sparse=''
asked=$(g config --get-regexp '^core\.(excludesfile|sparsecheckout)$')
case $asked in *core.excludesfile*) excludes=$(g config --path core.excludesFile) || excludes= ;; esac
case $asked in *core.sparsecheckout*) sparse=$(g config --bool core.sparseCheckout) ;; esac
others() { p ${excludes:+-c} ${excludes:+"core.excludesFile=$excludes"} --literal-pathspecs ls-files -z --others --exclude-standard "$@"; }
# New files have the tag "?", and files that git does not check a tag of $flags.
section tagged
flags='?a-z'
[ "$sparse" = true ] || flags='?a-zS'
others --cached -v >"$own/listed" || exit 1
tr '\n\0' '\001\n' <"$own/listed" | grep "^[$flags] " | tr '\n\001' '\0\n'
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
exit 0
