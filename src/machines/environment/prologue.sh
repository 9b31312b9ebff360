# Reports a line of the prologue that failed or ended the shell. Runs when the shell exits before the
# end of the prologue.
helios_prologue_failed() {
  helios_code=$?
  trap - EXIT
  [ "$helios_code" != 0 ] || helios_code=1
  printf '%s\n' "The prologue of $helios_machine failed with exit code $helios_code: $helios_step" \
    'The command was not started. The prologue of a machine is in machines.json.' >&2
  exit "$helios_code"
}
trap helios_prologue_failed EXIT
