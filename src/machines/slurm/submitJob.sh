# Submits a job once and prints a line "job=id". $@: arguments of sbatch, including the batch
# script. $names: names of the elements in $runs_folder; the first is also the name of the job.
# $is_array: set for several elements. Exits with code $refused and the reason on stderr, or with
# code $unclear if the caller must run this script again. Needs job.sh.
cd -- "$runs_folder" || exit 1
first=${names%% *}
answer() {
  index=0
  # Write the id of the first element last: if the first element has an id, all elements have one.
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
  # A submission times out after a minute. An older folder "submitting" is from an interrupted
  # submission, which submitted nothing, because no job was found.
  [ -z "$(find "$first/submitting" -maxdepth 0 -mmin +2 2>/dev/null)" ] || rmdir "$first/submitting"
  tries=$((tries + 1))
  [ "$tries" -lt 10 ] || { echo 'Another process is submitting this job.' >&2; exit "$unclear"; }
  sleep 1
done
id=$(lookup "$first") || { rmdir "$first/submitting"; exit "$unclear"; }
[ -z "$id" ] || answer "$id"
# The job gets the umask of the user; only the user can access the files of the submission.
mask=$(umask)
umask 077
mkdir -p "$first/elements"
index=0
for name in $names; do
  ln -sfn "../../$name" "$first/elements/$index"
  echo "$first ${is_array:+$index}" >"$name/array"
  index=$((index + 1))
done
: >"$first/sbatch.err"
out=$(umask "$mask" && exec timeout -k 5 60 sbatch "$@" 2>"$first/sbatch.err")
code=$?
if [ "$code" = 0 ]; then answer "${out%%;*}"; fi
cat "$first/sbatch.err" >&2
# If sbatch did not answer, Slurm may have accepted the job: keep the folder "submitting", so that
# the next attempt looks for the job first.
[ "$code" -lt 124 ] || exit "$unclear"
if grep -qi 'timed out\|zero bytes' "$first/sbatch.err"; then exit "$unclear"; fi
rmdir "$first/submitting"
if grep -qi 'unable to contact\|connect failure\|not responding' "$first/sbatch.err"; then exit "$unclear"; fi
exit "$refused"
