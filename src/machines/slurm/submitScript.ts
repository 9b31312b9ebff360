/**
 * Submitting a job once, and finding it again, as scripts for the login host. In the folder of each element, on the file
 * system that all share:
 *
 * - `array`: the element that gives the job its name, and the index in its array; written before anything is submitted
 * - `submitting/`: in the folder of that first element; somebody submits, or was interrupted while they did
 * - `job`: the id, once it is known
 *
 * A submission whose answer was lost is found by its name in the queue, or by the job itself, which writes down its id.
 */
import { shellQuote } from '../../base/text.ts';

export const exitCodes = { refused: 64, unclear: 75 } as const;

const words = String.raw`
# The id of the job of name $1, without an index; nothing when there is none. Fails when that cannot be told.
lookup() {
  found=$(timeout 20 squeue -h -t all --user="$(id -un)" --name="$1" -o %F 2>&1) || { echo "$found" >&2; return 1; }
  [ -n "$found" ] ||
    found=$(timeout 20 sacct -n -X -P -S now-30days --name="$1" -o JobID 2>/dev/null | cut -d _ -f 1)
  echo "$found" | head -n 1
}

# Of the element in the current folder, whose submission is that of $1, with index $2.
keep() {
  printf '%s\n' "$3${'$'}{2:+_$2}" >"$1/job.tmp" && mv -f "$1/job.tmp" "$1/job"
}
`;

/** Prints, for each name, a line `name id`; without an id when it was never submitted. */
export const findScript = (runsFolder: string, names: readonly string[], prelude: string): string => String.raw`
${prelude}
${words}
cd -- ${shellQuote(runsFolder)} 2>/dev/null || exit 0
for name in ${names.map((name) => shellQuote(name)).join(' ')}; do
  if [ -s "$name/job" ]; then
    echo "$name $(cat "$name/job")"
  elif [ -s "$name/array" ]; then
    read -r first index <"$name/array"
    [ -d "$first/submitting" ] || { echo "$name"; continue; }
    if [ "$first" != "$known" ]; then id=$(lookup "$first") || { echo "$name unclear"; continue; }; fi
    known=$first
    if [ -n "$id" ]; then
      keep "$name" "$index" "$id"
      echo "$name $(cat "$name/job")"
    elif [ -n "$(find "$first/submitting" -maxdepth 0 -mmin +2)" ]; then
      echo "$name"
    else
      echo "$name unclear"
    fi
  else
    echo "$name"
  fi
done
`;

export interface Submission {
  readonly runsFolder: string;
  /** Of its elements, in their order; the first gives the job its name. */
  readonly names: readonly string[];
  /** Arguments of `sbatch`, the script included. */
  readonly argv: readonly string[];
  readonly prelude: string;
}

/** Prints the id of the job. Ends with `refused` and the reason on stderr, or with `unclear`: to be asked again. */
export const submitScript = ({ runsFolder, names, argv, prelude }: Submission): string => String.raw`
${prelude}
${words}
cd -- ${shellQuote(runsFolder)} || exit 1
first=${shellQuote(names[0] ?? '')}
names='${names.join(' ')}'
answer() {
  index=0
  # The first comes last: with it, all are there.
  for name in ${names.length > 1 ? '$names' : ''}; do
    [ "$index" = 0 ] || keep "$name" "$index" "$1"
    index=$((index + 1))
  done
  keep "$first" '${names.length > 1 ? '0' : ''}' "$1"
  echo "job=$1"
  exit 0
}
tries=0
until mkdir "$first/submitting" 2>/dev/null; do
  [ -d "$first" ] || exit 1
  id=$(lookup "$first") || exit ${exitCodes.unclear}
  [ -z "$id" ] || answer "$id"
  # Whoever submits gives up after a minute. Who was interrupted long ago has not submitted.
  [ -z "$(find "$first/submitting" -maxdepth 0 -mmin +2 2>/dev/null)" ] || rmdir "$first/submitting"
  tries=$((tries + 1))
  [ "$tries" -lt 10 ] || { echo 'Somebody else is submitting it.' >&2; exit ${exitCodes.unclear}; }
  sleep 1
done
id=$(lookup "$first") || { rmdir "$first/submitting"; exit ${exitCodes.unclear}; }
[ -z "$id" ] || answer "$id"
umask 077
mkdir -p "$first/elements"
index=0
for name in $names; do
  ln -sfn "../../$name" "$first/elements/$index"
  echo "$first ${names.length > 1 ? '$index' : ''}" >"$name/array"
  index=$((index + 1))
done
out=$(timeout -k 5 60 sbatch ${argv.map((word) => shellQuote(word)).join(' ')} 2>"$first/sbatch.err")
code=$?
if [ "$code" = 0 ]; then answer "${'$'}{out%%;*}"; fi
cat "$first/sbatch.err" >&2
# Without an answer it may have been taken: the folder stays for whoever asks next.
[ "$code" -lt 124 ] || exit ${exitCodes.unclear}
if grep -qi 'timed out\|zero bytes' "$first/sbatch.err"; then exit ${exitCodes.unclear}; fi
rmdir "$first/submitting"
if grep -qi 'unable to contact\|connect failure\|not responding' "$first/sbatch.err"; then exit ${exitCodes.unclear}; fi
exit ${exitCodes.refused}
`;
