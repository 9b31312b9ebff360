# Prints the settings that prevent users from creating user namespaces, as far as the system shows
# them.
cd /proc/sys 2>/dev/null || exit 0
is() { [ "$(cat "$2" 2>/dev/null)" = "$1" ]; }
if [ "$(id -u)" = 0 ]; then
  :
elif is 1 kernel/apparmor_restrict_unprivileged_userns; then
  echo apparmor
elif is 0 user/max_user_namespaces || is 0 kernel/unprivileged_userns_clone; then
  echo userns
fi
