set -f
# Each line is a variable such as export NAME='value'. Uses a builtin, because starting a program
# would take longer.
IFS='
'
for line in $(export -p); do
  line=${line%%=*} line=${line##* }
  case $line in
    GIT_CONFIG_GLOBAL | GIT_CONFIG_SYSTEM | GIT_CONFIG_NOSYSTEM | GIT_*[!A-Za-z0-9_]*) ;;
    GIT_*) unset "$line" ;;
  esac
done
unset IFS
LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_NO_REPLACE_OBJECTS=1
GIT_AUTHOR_NAME=Helios GIT_AUTHOR_EMAIL=helios@localhost GIT_COMMITTER_NAME=Helios GIT_COMMITTER_EMAIL=helios@localhost
# Before 2.39.4, git does not know GIT_NO_LAZY_FETCH. Settings of the repository for a protocol
# override protocol.allow, but not GIT_ALLOW_PROTOCOL.
GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none
export LC_ALL GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_NO_REPLACE_OBJECTS GIT_NO_LAZY_FETCH GIT_ALLOW_PROTOCOL
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

# $real is the git to call. After enter, git works in $top or $tree_at, and ignores core.worktree.
real=git top=
g() {
  "$real" ${top:+--work-tree="${tree_at:-$top}"} -c core.hooksPath=/dev/null -c core.fsmonitor=false \
    -c core.untrackedCache=false -c core.quotePath=false -c core.logAllRefUpdates=false -c core.safecrlf=false \
    -c core.splitIndex=false -c core.preloadIndex=true -c gc.auto=0 -c maintenance.auto=false \
    -c commit.gpgSign=false -c submodule.recurse=false -c diff.external= -c color.ui=false \
    -c protocol.allow=never "$@"
}

# Sets $top to the folder that contains the .git of $git_dir. Does not ask git for the root of the
# worktree: the settings of a repository could name any folder, such as the home folder of the user.
find_top() {
  top=$(pwd -P)
  case $top/ in "$git_dir"/*) exit 84 ;; esac
  until is_git_dir_of "$top"; do
    [ -n "$top" ] || exit 84
    top=${top%/*}
  done
  top=${top:-/}
}

# Tells whether folder $1 contains $git_dir as .git, or a file or link .git that leads to it.
is_git_dir_of() {
  [ -e "$1/.git" ] || return 1
  [ ! -d "$1/.git" ] || [ -h "$1/.git" ] || [ "$1/.git" != "$git_dir" ] || return 0
  [ "$(real_folder "$("$real" rev-parse --resolve-git-dir "$1/.git" 2>/dev/null)")" = "$git_dir" ]
}

real_folder() { [ -n "$1" ] && cd -- "$1" && pwd -P; }

# Sets $is_bare, $git_dir, $common, $prefix, $head, the commit that $1 names, and $head_tree, its tree,
# each to a line of the output of git. The last two are empty if there is no such commit. If a path
# contains line breaks, the fourth line differs from the first, and each value is then requested
# separately.
locate() {
  base=$1
  set -- --is-bare-repository --absolute-git-dir --git-common-dir --is-bare-repository
  places=$(g rev-parse "$@" "$base^{commit}" "$base^{tree}" --show-prefix 2>/dev/null) ||
    # The repository has no commits, or a file has the name of the commit.
    places=$(g rev-parse "$@" && echo none && echo none && g rev-parse --show-prefix) || exit 83
  IFS='
'
  # shellcheck disable=SC2086 # Lines, each a word.
  set -- $places
  unset IFS
  is_bare=$1 git_dir=$2 common=$3 head=${5:-} head_tree=${6:-} prefix=${7:-}
  [ "$head" != none ] || find_head
  { [ "${4:-}" != "$1" ] || [ $# -gt 7 ]; } || return 0
  find_head
  git_dir=$(g rev-parse --absolute-git-dir) && common=$(g rev-parse --git-common-dir) &&
    prefix=$(g rev-parse --show-prefix) || exit 83
}

find_head() {
  head_tree=
  head=$(g rev-parse -q --verify "$base^{commit}") || head=
  [ -z "$head" ] || head_tree=$(g rev-parse "$head^{tree}") || head_tree=
}

# Sets $empty to the hash of the empty tree. The hash depends on the hash algorithm of the
# repository, which the length of $head shows.
find_empty() {
  case ${#head} in
    40) empty=4b825dc642cb6eb9a060e54bf8d69288fbee4904 ;;
    64) empty=6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321 ;;
    *) empty=$(g hash-object -t tree /dev/null) || exit 83 ;;
  esac
}

# Tells whether $real is the git of a Mac without the command line tools, which only opens a dialog.
is_placeholder() {
  command -v xcode-select >/dev/null || return 1
  [ "$(command -v "$real")" = /usr/bin/git ] && ! xcode-select -p >/dev/null 2>&1
}

# Goes to the root of the worktree that contains folder $1. Sets $prefix to the path from the root
# to $1, and $head to the commit named by $2 or, without $2, to the checked-out commit.
enter() {
  top=
  cd -- "$1" 2>/dev/null || { printf '%s\n' "$1" >&2; exit 82; }
  command -v "$real" >/dev/null && ! is_placeholder || exit 81
  locate "${2:-HEAD}"
  [ "$is_bare" = false ] || exit 84
  common=$(cd -- "$common" && pwd -P) || exit 83
  find_top
  cd -- "$top" || exit 84
  find_empty
}

# Like enter, but finds the user's repository if $1 is, or was, a worktree of Helios.
enter_repo() {
  [ -e "$1" ] || ! [ -e "$1.repo" ] || set -- "$(cat -- "$1.repo")"
  enter "$1"
  [ ! -e "$git_dir/helios" ] || enter "$(cat -- "$top.repo")"
}

# Makes the temporary private folder $1 with the folders of a git folder.
make_own() {
  { [ -d "${1%/*}" ] || (umask 077 && mkdir -p -- "${1%/*}") 2>/dev/null; } &&
    mkdir -m 700 -- "$1" "$1/refs" "$1/info" "$1/objects" 2>/dev/null
}

# Removes $own, and folders left by interrupted scripts.
remove_own() {
  rm -rf -- "$own" "$other"
  set +f
  for folder in "${own%/*}"/git.*; do
    [ ! -d "$folder" ] || find "$folder" -prune -mtime +1 -exec rm -rf -- {} +
  done
}

# Converts the lines of git config --get-regexp for section core to lines of a configuration file.
# Omits all other lines, which may be parts of a value, and setting $1.
settings() {
  while IFS= read -r line; do
    name=${line%% *} value=true
    case $line in core.*' '*) value=${line#* } ;; core.*) ;; *) continue ;; esac
    case ${name#core.} in *[!a-z]* | "$1") continue ;; esac
    case $value in *[!A-Za-z0-9]*) ;; *) printf '%s = %s\n' "${name#core.}" "$value" ;; esac
  done
}

# Copies the lines of the input without starting a program.
copy_lines() {
  while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done
}

# Begins to make $own, a temporary folder, while the caller continues. $1: the folder of Helios, $2: a
# unique name. At exit, $own is removed without waiting, because a launch waits for this shell.
begin_own() {
  own=$1/tmp/git.$2 other=${TMPDIR:-/tmp}/git.$2
  # The reader of this script would wait for a process that still has its streams.
  trap 'wait "$maker"; exec </dev/null >/dev/null 2>&1; remove_own &' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  { make_own "$own" || make_own "$other"; } &
  maker=$!
}

# Makes $own, which begin_own has begun, a git folder that uses the objects of the repository. Copies
# only those settings of the repository that affect how files are compared and written. Sets $asked to
# its settings for ignored files and sparse checkouts, too. $1: the folder of the index to copy, if any.
own_dir() {
  wait "$maker" || { echo 'there is no writable folder for temporary files' >&2; exit 1; }
  [ -d "$own/objects" ] || own=$other
  [ -z "${1-}" ] || copy_index "$1" "$own" &
  copier=$!
  asked=$(g config --get-regexp '^core\.(filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode|checkstat|trustctime|sharedrepository|excludesfile|sparsecheckout)$')
  echo 'ref: refs/heads/none' >"$own/HEAD"
  [ ! -s "$common/info/exclude" ] || copy_lines <"$common/info/exclude" >"$own/info/exclude"
  {
    [ ! -s "$common/info/attributes" ] || copy_lines <"$common/info/attributes"
    printf '\n* -filter\n'
  } >"$own/info/attributes"
  {
    if [ ${#empty} -gt 40 ]; then printf '[extensions]\n\tobjectFormat = sha256\n'; fi
    printf '[core]\n\trepositoryFormatVersion = %s\n\tbare = false\n' "$((${#empty} > 40))"
    settings sparsecheckout <<END
$asked
END
  } >"$own/config"
  objects=$common/objects
  # If the repository is not writable, objects are written to the private folder: the hash of the
  # code can then be computed, but the code is not stored.
  if ! [ -w "$objects" ]; then
    GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects objects=$own/objects
    export GIT_ALTERNATE_OBJECT_DIRECTORIES
  fi
  wait "$copier"
}

# Copies the index in folder $1 to folder $2 with its modification time, because git needs this time:
# it compares the content, not only the time stamp, of each file that changed in the second in which
# the index was written.
copy_index() {
  cp -p -- "$1/index" "$2/index" 2>/dev/null
  set +f
  for shared in "$1"/sharedindex.*; do
    [ ! -e "$shared" ] || cp -p -- "$shared" "$2/"
  done
  set -f
}

p() {
  GIT_DIR=$own GIT_INDEX_FILE=${index:-$own/index} GIT_OBJECT_DIRECTORY=$objects g "$@"
}
