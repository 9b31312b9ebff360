# Creates run folder $1, so that only the user can access it, and removes the access of other users
# that earlier versions left above it.
runs=${1%/*}
umask 077
mkdir -p -- "$1" || exit 1
case $runs in */.helios/runs) chmod go= "${runs%/*}" "$runs" 2>/dev/null ;; esac
:
