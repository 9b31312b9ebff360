section() { printf '%s\0%s\0' "$mark" "$1"; }
mark=$2
enter "$1" "$4"
if [ -n "$prefix" ] && [ -z "$(g ls-files -- "$prefix" | head -n 1)" ] && g check-ignore -q -- "$prefix"; then exit 88; fi
section place
printf '%s\0%s\0%s\0' "$top" "$head" "$empty"
own_dir "$3" "$mark"
own_index
excludes='' sparse=''
case $asked in *core.excludesfile*) excludes=$(g config --path core.excludesFile) || excludes= ;; esac
case $asked in *core.sparsecheckout*) sparse=$(g config --bool core.sparseCheckout) ;; esac
others() { p ${excludes:+-c} ${excludes:+"core.excludesFile=$excludes"} --literal-pathspecs ls-files --others --exclude-standard "$@"; }
others --cached -v >"$own/listed" &
lister=$!
section changed
p diff-files --raw -z --no-renames --ignore-submodules=dirty || exit 1
section staged
p diff-index --cached --raw -z --no-renames --ignore-submodules=none --no-abbrev "${head:-$empty}" -- || exit 1
wait "$lister" || exit 1
# New files have the tag "?", and files that git does not check a tag of $flags. Git quotes names with
# control characters.
section tagged
flags='?a-z'
[ "$sparse" = true ] || flags='?a-zS'
grep "^[$flags] " "$own/listed"
printf '\0'
section ignored
# Prints names and hashes of those files among the lines of $1 that git ignores.
hash_ignored() {
  files=$1
  IFS='
'
  set --
  for file in $files; do set -- "$@" "$prefix$file"; done
  unset IFS
  others --ignored -- "$@" | while IFS= read -r file; do
    case $file in '"'*) continue ;; esac
    [ -f "$file" ] && printf '%s\0%s\0' "$file" "$(p hash-object --no-filters -- "$file")"
  done
}
[ -z "$5" ] || hash_ignored "$5"
