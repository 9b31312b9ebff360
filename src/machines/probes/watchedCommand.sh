# Runs command $2 in folder $1; $3 is the name of that folder for messages. Prints the last bytes of
# stdout, the byte 1 as a separator, the last bytes of stderr, and the exit code.
cd -- "$1" || { printf '\001no folder %s\n@1' "$3"; exit; }
PYTHONUNBUFFERED=1; export PYTHONUNBUFFERED
sh=$(command -v bash) || sh=/bin/sh
{
  e=$( { "$sh" -c "$2" 2>&1 >&3 3>&-; printf '\n@%s' "$?"; } | tail -c 400)
  printf '\001%s' "$e" >&3
} 3>&1 | tail -c 2400
