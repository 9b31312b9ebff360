# Creates the folder of runs $1, so that only the user can access it, and removes the access of other
# users that earlier versions left.
umask 077
mkdir -p -- "$1" || exit 1
case $1 in */.helios/runs) chmod go= "${1%/*}" "$1" 2>/dev/null ;; esac
:
