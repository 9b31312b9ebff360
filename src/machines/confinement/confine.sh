# Starts the command "$@" in bubblewrap, in the current folder. confine.ts puts assignments before
# this text: $network (all, none or hosts), $session, $runs (folder of runs), $helios (the folder
# above it), $hidden ($helios if it contains only files of Helios) and, one path per line, $grants
# (folders to write), $caches and $keys (below the home folder). With the network hosts: $proxy (the
# text of proxy.py), $hosts, $advice (where the user can add a host) and $record (the name of a
# file).
refuse() {
  printf 'helios: The command was not started, because it could not be confined: %s\n' "$1" >&2
  exit 126
}

# This script itself is not confined, so it must not start a program that an earlier command has put
# into a folder of PATH: programs of the system come first.
search=$PATH
PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH
user=$(id -u) tab=$(printf '\t')

# Prints path $1 without links.
real() { readlink -f "$1" 2>/dev/null; }

home=$(real "$HOME")
# Commands of a session share a folder for temporary files. The checks ensure that no other user has
# created the folder.
base=/tmp/helios-$user
mkdir -m 700 "$base" 2>/dev/null
if [ -h "$base" ] || ! [ -O "$base" ]; then refuse "$base belongs to another user."; fi
temporary=$base/$session
mkdir -m 700 "$temporary" 2>/dev/null
{ [ -d "$temporary" ] && : >"$base/empty"; } 2>/dev/null || refuse "$temporary could not be created."

# Prints the line "path, tab, $1" for path $2, if the path exists. After sorting, a folder precedes
# its content, and if there are several lines for a path, the last one applies: 1write < 2read <
# 3hide.
place() { [ ! -e "$2" ] || printf '%s\t%s\n' "$(real "$2")" "$1"; }

# Prints the folder of cache $1 of the home folder. If that does not exist and variable $2 can name
# another folder, prints a folder in .cache instead.
cache_folder() {
  if [ -z "$2" ] || [ -e "$home/$1" ]; then printf '%s/%s' "$home" "$1"; else
    case $1 in .conda/*) printf '%s/.cache/conda-pkgs' "$home" ;; *) printf '%s/.cache/%s' "$home" "${1#.}" ;; esac
  fi
}

granted_paths() {
  for code in "$helios/worktrees/$session"/* "$helios/copies/$session"/*; do
    [ ! -d "$code" ] || printf '%s\n' "$code"
  done
  while IFS= read -r path; do
    case $path in \~/*) printf '%s\n' "$home/${path#??}" ;; /*) printf '%s\n' "$path" ;; esac
  done <<LINES
$grants
LINES
}
granted=$(granted_paths)
roots=$granted'
'$(while IFS= read -r path; do real "$path"; done <<LINES
$granted
LINES
)

# Returns whether path $1 is below a granted folder. Such a path is writable anyway, and a command
# may have replaced a part of it by a link to another folder.
is_below_grant() {
  while IFS= read -r root; do case $1 in "${root:-//}"/?*) return 0 ;; esac; done <<LINES
$roots
LINES
  return 1
}

# Prints the path of program $1 in the user's PATH. Skips folders that a command may have written
# to.
program() {
  printf '%s\n' "$search" | tr : '\n' | while IFS= read -r folder; do
    if [ ! -x "$folder/$1" ] || is_below_grant "$folder/$1"; then continue; fi
    case $folder in /*) is_below_grant "$(real "$folder/$1")" || { printf '%s\n' "$folder/$1" && break; } ;; esac
  done
}
bwrap=$(program bwrap)
[ -n "$bwrap" ] || refuse 'bubblewrap (bwrap) is not installed on this machine.'
python=$(program python3)
[ "$network" != hosts ] || [ -n "$python" ] ||
  refuse 'python3, which keeps commands to a list of hosts, is not installed on this machine.'

# Prints the paths of the sockets on which programs of this computer listen. Omits those in folders
# that a confined command does not see.
sockets() {
  while read -r _ _ _ _ _ _ _ path; do
    case $path in
      /run/* | /var/run/* | /tmp/* | /var/tmp/* | /dev/*) ;;
      /*) [ ! -S "$path" ] || printf '%s\n' "$path" ;;
    esac
  done </proc/net/unix 2>/dev/null | sort -u
}

# Grants folder $1, except the files in it that git, the editor, CI or Helios would run later. Never
# grants the home folder or a folder above it, because files there may run at the next login.
grant() {
  if is_below_grant "$1"; then
    ! is_below_grant "$(real "$1/.git")" || place 2read "$1/.git"
    return 0
  fi
  mkdir -p "$1" 2>/dev/null || return 0
  root=$(real "$1")
  case $home/ in "${root%/}"/*) return 0 ;; esac
  [ ! -h "$root/.git" ] || refuse "$root/.git is a link."
  place 1write "$root"
  for path in "$root/.git" "$root/.vscode" "$root/.github" "$root/.gitlab-ci.yml" "$root/.pre-commit-config.yaml" \
    "$root/helios.json" "$root"/*.code-workspace; do place 2read "$path"; done
}

places() {
  while IFS= read -r path; do grant "$path"; done <<LINES
$granted
LINES
  while IFS=' ' read -r path name; do
    path=$(cache_folder "$path" "$name")
    mkdir -p "$path" 2>/dev/null && place 1write "$path"
  done <<LINES
$caches
LINES
  for path in "$HF_HOME" "$TORCH_HOME" "$TRITON_CACHE_DIR" "$PIP_CACHE_DIR" "$UV_CACHE_DIR" "$CONDA_PKGS_DIRS"; do
    case $path in /*) [ "$path" != "$(real "$path")" ] || grant "$path" ;; esac
  done
  for path in "$hidden" "$home/.helios" /run; do place 3hide "$path"; done
  for path in "$runs" "$helios"/git-guard-* /tmp/nvidia-mps /run/resolvconf \
    /run/NetworkManager /run/opengl-driver /run/current-system; do place 2read "$path"; done
  # Show this folder only with the whole network: its socket answers DNS queries, which can send
  # data out.
  [ "$network" != all ] || place 2read /run/systemd/resolve
  for path in /etc/shadow /etc/gshadow /etc/sudoers.d /etc/ssl/private /etc/ssh/ssh_host_*_key /etc/kubernetes \
    /etc/rancher; do place 3hide "$path"; done
  while IFS= read -r path; do place 3hide "$home/$path"; done <<LINES
$keys
LINES
  # Through a socket, a command could start programs that are not confined.
  sockets | while IFS= read -r path; do is_below_grant "$path" || place 3hide "$path"; done
}
places=$(places) || exit 126

# Pass the program in a variable, which "inside" removes, because a list of processes shows
# arguments.
start='import os; exec(os.environ["HELIOS_PROXY"])'
# Each step puts arguments in front of the others, so the last arguments are set first.
[ "$network" != hosts ] || set -- "$python" -I -S -c "$start" inside "$LC_CTYPE" "$@"
set -- --chdir "$PWD" -- "$@"
while IFS=$tab read -r path kind; do
  [ "$kind" != 3hide ] || [ ! -d "$path" ] || set -- --remount-ro "$path" "$@"
done <<LINES
$places
LINES
# Skip what has gone since it was listed, such as the socket of a program that has ended: bubblewrap
# would create it, and fails where it cannot.
while IFS=$tab read -r path kind; do
  [ -e "$path" ] || continue
  case $kind in
    1write) set -- --bind "$path" "$path" "$@" ;;
    2read) set -- --ro-bind "$path" "$path" "$@" ;;
    3hide) if [ -d "$path" ]; then set -- --tmpfs "$path" "$@"; else set -- --ro-bind "$base/empty" "$path" "$@"; fi ;;
  esac
done <<LINES
$(printf '%s\n' "$places" | LC_ALL=C sort -ru)
LINES
while IFS=' ' read -r path name; do
  [ -z "$name" ] || [ -e "$home/$path" ] || [ -n "$(printenv "$name")" ] ||
    set -- --setenv "$name" "$(cache_folder "$path" "$name")" "$@"
done <<LINES
$caches
LINES
for path in /dev/nvidia* /dev/nvhost* /dev/nvmap /dev/dri /dev/kfd /dev/dxg /dev/accel* /dev/infiniband /dev/gdrdrv; do
  [ ! -e "$path" ] || set -- --dev-bind "$path" "$path" "$@"
done
[ ! -d /var/tmp ] || set -- --bind "$temporary" /var/tmp "$@"
[ -z "$TMPDIR" ] || set -- --setenv TMPDIR /tmp "$@"
if [ "$network" != all ]; then
  set -- --unshare-net "$@"
  # In /etc/hosts, the name of the machine has an address that this network lacks, so replace the
  # file.
  names=$base/hosts-$(uname -n)
  [ -s "$names" ] || { printf '127.0.0.1 localhost %s\n::1 localhost\n' "$(uname -n)" >"$names.$$" && mv -f "$names.$$" "$names"; }
  [ ! -e /etc/hosts ] || set -- --ro-bind "$names" "$(real /etc/hosts)" "$@"
fi
# Without this, root could change settings of the kernel, for which no capability is needed. The
# folders of processes stay writable, because CUDA does not start where it cannot name its threads.
[ "$user" != 0 ] || for path in /proc/[!0-9]*; do
  [ -h "$path" ] || set -- --ro-bind-try "$path" "$path" "$@"
done
set -- --unshare-pid --unshare-ipc --cap-drop ALL --setenv PATH "$search" \
  --ro-bind / / --proc /proc --dev /dev --bind "$temporary" /tmp "$@"
# The supervisor of a run ends what its command has left. Otherwise, that ends with the command.
case $0 in */*) ;; *) set -- --die-with-parent "$@" ;; esac
[ "$network" = hosts ] || exec "$bwrap" "$@"
case $0 in */*) record=${0%/*}/hosts.log ;; *) record=${record:+$base/$record} ;; esac
HELIOS_PROXY=$proxy
export HELIOS_PROXY
exec "$python" -I -S -c "$start" outside "${record:-/dev/null}" "$hosts" "$advice" \
  "$bwrap" --sync-fd 99 "$@"
