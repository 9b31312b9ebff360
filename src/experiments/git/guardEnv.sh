# Sourced by shells for which $HELIOS_GIT_GUARD is set, so that the programs that they start find
# the guard first in PATH. A git called by its absolute path would skip the guard, so it is made to
# fail: it cannot parse this value of GIT_CONFIG_PARAMETERS. The guard unsets the variable.
PATH=$HELIOS_GIT_GUARD:$PATH GIT_CONFIG_PARAMETERS='helios: call git by its name, so that its guard sees it'
export PATH GIT_CONFIG_PARAMETERS HELIOS_GIT_GUARD
