# Submits with the arguments $@ of sbatch, including the script, and prints the id of the job.
# $names: the elements in $runs_folder; the first gives the job its name. $is_array: set for several
# elements. Exits with $refused and the reason on stderr, or with $unclear when the caller must ask
# again. Needs job.sh.
cd -- "$runs_folder" || exit 1
first=${names%% *}
answer() {
  index=0
  # Write the id for the first element last: if it exists, the ids of all elements are written.
  for name in $names; do
    [ "$index" = 0 ] || keep "$name" "$index" "$1"
    index=$((index + 1))
  done
  keep "$first" "${is_array:+0}" "$1"
  echo "job=$1"
  exit 0
}
tries=0
until mkdir "$first/submitting" 2>/dev/null; do
  [ -d "$first" ] || exit 1
  id=$(lookup "$first") || exit "$unclear"
  [ -z "$id" ] || answer "$id"
  # A submission times out after a minute. An older folder is from an interrupted submission, which
  # submitted nothing.
  [ -z "$(find "$first/submitting" -maxdepth 0 -mmin +2 2>/dev/null)" ] || rmdir "$first/submitting"
  tries=$((tries + 1))
  [ "$tries" -lt 10 ] || { echo 'Another process is submitting this job.' >&2; exit "$unclear"; }
  sleep 1
done
id=$(lookup "$first") || { rmdir "$first/submitting"; exit "$unclear"; }
[ -z "$id" ] || answer "$id"
umask 077
mkdir -p "$first/elements"
index=0
for name in $names; do
  ln -sfn "../../$name" "$first/elements/$index"
  echo "$first ${is_array:+$index}" >"$name/array"
  index=$((index + 1))
done
out=$(timeout -k 5 60 sbatch "$@" 2>"$first/sbatch.err")
code=$?
if [ "$code" = 0 ]; then answer "${out%%;*}"; fi
cat "$first/sbatch.err" >&2
# Without an answer, sbatch may have accepted the job: the folder stays for the next attempt.
[ "$code" -lt 124 ] || exit "$unclear"
if grep -qi 'timed out\|zero bytes' "$first/sbatch.err"; then exit "$unclear"; fi
rmdir "$first/submitting"
if grep -qi 'unable to contact\|connect failure\|not responding' "$first/sbatch.err"; then exit "$unclear"; fi
exit "$refused"
