section() { printf '%s\0%s\0' "$mark" "$1"; }
mark=$2
begin_own "$3" "$mark"
enter "$1" "$4"
if [ -n "$prefix" ] && [ -z "$(g ls-files -- "$prefix" | head -n 1)" ] && g check-ignore -q -- "$prefix"; then exit 88; fi
section place
printf '%s\0%s\0%s\0' "$top" "$head" "$empty"
own_dir "$git_dir"
excludes='' sparse=''
case $asked in *core.excludesfile*) excludes=$(g config --path core.excludesFile) || excludes= ;; esac
case $asked in *core.sparsecheckout*) sparse=$(g config --bool core.sparseCheckout) ;; esac
others() { p ${excludes:+-c} ${excludes:+"core.excludesFile=$excludes"} --literal-pathspecs ls-files --others --exclude-standard "$@"; }
# New files have the tag "?", and files that git does not check a tag of $flags. Git quotes names with
# control characters.
flags='?a-z'
[ "$sparse" = true ] || flags='?a-zS'
tagged() {
  { others --cached -v || : >"$own/unlisted"; } | grep "^[$flags] " >"$own/tagged" || [ $? -eq 1 ] || return 1
  [ ! -e "$own/unlisted" ]
}
tagged &
tagger=$!
p diff-index --cached --raw -z --no-renames --ignore-submodules=none --no-abbrev "${head:-$empty}" -- >"$own/staged" &
stager=$!
section changed
p diff-files --raw -z --no-renames --ignore-submodules=dirty || exit 1
section staged
wait "$stager" || exit 1
[ ! -s "$own/staged" ] || cat -- "$own/staged" || exit 1
section tagged
wait "$tagger" || exit 1
# Starts a program only for many lines. Shells read a file no further than to the end of a line.
{
  count=0
  while [ "$count" -lt 20 ] && IFS= read -r line; do
    printf '%s\n' "$line"
    count=$((count + 1))
  done
  [ "$count" -lt 20 ] || cat
} <"$own/tagged"
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
