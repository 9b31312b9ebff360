# Prints the id of the job named $1, without an array index; prints nothing if there is no such job.
# Fails when Slurm does not answer.
lookup() {
  found=$(timeout 20 squeue -h -t all --user="$(id -un)" --name="$1" -o %F 2>&1) || { echo "$found" >&2; return 1; }
  [ -n "$found" ] ||
    found=$(timeout 20 sacct -n -X -P -S now-30days --name="$1" -o JobID 2>/dev/null | cut -d _ -f 1)
  echo "$found" | head -n 1
}

# Writes an element's job id to the file "job" in the element's folder $1. $2: index of the element
# in the job array, or empty; $3: id that sbatch has printed.
keep() {
  printf '%s\n' "$3${2:+_$2}" >"$1/job.tmp" && mv -f "$1/job.tmp" "$1/job"
}
