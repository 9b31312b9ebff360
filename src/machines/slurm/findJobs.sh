# For each argument, the name of an element in $runs_folder, prints a line "name id". The id is
# omitted if the element was never submitted, and is "unclear" while it is not known whether the
# element was submitted. Needs job.sh.
cd -- "$runs_folder" 2>/dev/null || exit 0
for name; do
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
