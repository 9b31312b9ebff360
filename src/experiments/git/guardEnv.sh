# Sourced by shells with $HELIOS_GIT_GUARD: the programs that they start find the guard first. A git
# called by its path refuses to do anything.
PATH=$HELIOS_GIT_GUARD:$PATH GIT_CONFIG_PARAMETERS='helios: call git by its name, so that its guard sees it'
export PATH GIT_CONFIG_PARAMETERS HELIOS_GIT_GUARD
