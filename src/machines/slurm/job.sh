# The id of the job of name $1, without an index; nothing when there is none. Fails when that cannot be told.
lookup() {
  found=$(timeout 20 squeue -h -t all --user="$(id -un)" --name="$1" -o %F 2>&1) || { echo "$found" >&2; return 1; }
  [ -n "$found" ] ||
    found=$(timeout 20 sacct -n -X -P -S now-30days --name="$1" -o JobID 2>/dev/null | cut -d _ -f 1)
  echo "$found" | head -n 1
}

# Of the element in the current folder, whose submission is that of $1, with index $2.
keep() {
  printf '%s\n' "$3${2:+_$2}" >"$1/job.tmp" && mv -f "$1/job.tmp" "$1/job"
}
