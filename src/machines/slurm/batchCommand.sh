set -m
"$@" &
helios_command=$!
set +m
while :; do
  wait "$helios_command"
  helios_code=$?
  kill -0 "$helios_command" 2>/dev/null || break
done
# A signal may have replaced the exit code.
wait "$helios_command" 2>/dev/null
helios_last=$?
[ "$helios_last" = 127 ] || helios_code=$helios_last
exit "$helios_code"
