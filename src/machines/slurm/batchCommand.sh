set -m
"$@" &
helios_command=$!
set +m
while :; do
  wait "$helios_command"
  helios_code=$?
  kill -0 "$helios_command" 2>/dev/null || break
done
# If a signal interrupted the last wait, $helios_code is that of the signal: wait again for the exit
# code of the command. 127 means that the shell has already returned that code.
wait "$helios_command" 2>/dev/null
helios_last=$?
[ "$helios_last" = 127 ] || helios_code=$helios_last
exit "$helios_code"
