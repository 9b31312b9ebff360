# Read by a shell that knows $HELIOS_GIT_GUARD: whatever it starts then finds the guard first. A git that is called by its
# path, and not by its name, refuses to do anything.
PATH=$HELIOS_GIT_GUARD:$PATH GIT_CONFIG_PARAMETERS='helios: call git by its name, so that its guard sees it'
export PATH GIT_CONFIG_PARAMETERS HELIOS_GIT_GUARD
