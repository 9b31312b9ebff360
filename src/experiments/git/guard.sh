# The git that commands and runs of Helios find first in their PATH. Decides by subcommand and
# repository, then executes the real git or refuses. Reading is allowed everywhere. In a worktree of
# Helios, changes to its files and its index are allowed, but not to the user's refs, stash,
# settings or branches. A repository that was cloned or created through this script belongs to the
# agent, which may also commit, merge and fetch there. Protects against what models do by habit, not
# against a program that tries to evade this script.
advice='Reading (status, log, diff, show) is allowed. To change code, edit in a worktree (exp_branch makes one), and commit with exp_commit.'
refuse() {
  echo "helios: git $1 was not run: $2. $advice" >&2
  exit 128
}

real=
IFS=:
for folder in $PATH; do
  [ -e "$folder/.helios-git-guard" ] && continue
  [ -x "$folder/git" ] && [ ! -d "$folder/git" ] && real=$folder/git && break
done
unset IFS
[ -n "$real" ] || { echo 'git: not found' >&2; exit 127; }
# Clears variables that let git start programs, write to other places, or use another index or
# object store.
unset GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_INDEX_FILE GIT_OBJECT_DIRECTORY \
  GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_NAMESPACE GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_PROXY_COMMAND \
  GIT_TEMPLATE_DIR GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_CONFIG GIT_TRACE GIT_TRACE_PACK_ACCESS GIT_TRACE_PACKET \
  GIT_TRACE_PACKFILE GIT_TRACE_PERFORMANCE GIT_TRACE_REFS GIT_TRACE_SETUP GIT_TRACE_SHALLOW GIT_TRACE_CURL \
  GIT_TRACE_FSMONITOR GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_REPLACE_REF_BASE
GIT_OPTIONAL_LOCKS=0
GIT_TERMINAL_PROMPT=0
export GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT
options='' overrides='' placed=${GIT_DIR:+1}${GIT_WORK_TREE:+1}
while [ $# -gt 0 ]; do
  case $1 in
    -C) [ -z "$2" ] || cd -- "$2" || exit 128; shift 2 || refuse -C 'it needs the path of a folder' ;;
    -c)
      case $2 in
        *[!A-Za-z0-9._=@,/+:\ -]*) refuse -c 'the setting contains a character that is not allowed' ;;
        user.name=* | user.email=* | color.*=* | core.quot[eE]*=* | advice.*=* | init.defaultBranch=* | diff.renames=* | \
          log.*=* | safe.directory=* | column.*=*) options="$options -c '$2'" ;;
        *) refuse -c 'this setting can start programs or change what git stores' ;;
      esac
      shift 2
      ;;
    --git-dir=*) GIT_DIR=${1#*=} placed=1; export GIT_DIR; shift ;;
    --git-dir) GIT_DIR=$2 placed=1; export GIT_DIR; shift 2 || exit 128 ;;
    --work-tree=*) GIT_WORK_TREE=${1#*=} placed=1; export GIT_WORK_TREE; shift ;;
    --work-tree) GIT_WORK_TREE=$2 placed=1; export GIT_WORK_TREE; shift 2 || exit 128 ;;
    -p | --paginate | -P | --no-pager | --no-optional-locks | --no-replace-objects) shift ;;
    --literal-pathspecs | --glob-pathspecs | --noglob-pathspecs | --icase-pathspecs | --bare) options="$options $1"; shift ;;
    --version | -v | --help | -h | --exec-path | --html-path | --man-path | --info-path) exec "$real" "$1" ;;
    -*) refuse "$1" 'this option is not supported' ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || exec "$real"
command=$1
shift

# Executes the real git, without hooks. In a repository of the agent, its filters are used.
become() {
  # With HELIOS_GIT_ASKS, the caller only wants to know whether the call is allowed.
  [ -z "${HELIOS_GIT_ASKS-}" ] || exit 0
  eval "exec \"\$real\" --no-pager -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 -c maintenance.auto=false" \
    "-c diff.autoRefreshIndex=false -c rerere.enabled=false -c protocol.ext.allow=never" \
    "-c log.showSignature=false -c blame.ignoreRevsFile=" \
    "$options $overrides \"\$command\" \"\$@\""
}

# Executes the real git so that it starts no programs that only the settings of the repository name.
become_harmless() {
  stay_offline
  case $command in
    status | diff | diff-files | diff-index | ls-files | grep | submodule | add | rm | reset | restore | checkout | switch) has_depth=1 ;;
    *) has_depth= ;;
  esac
  override_programs "$has_depth" ||
    refuse "$command" "the setting $setting of this repository names a program, which cannot be disabled"
  # If git does not have the command, it is not an alias of the repository either.
  override "alias.$command="
  become "$@"
}

# Executes a command that only reads.
become_reader() {
  case $command in
    diff | diff-files | diff-index | diff-tree | log | show | whatchanged) set -- --no-ext-diff --no-textconv "$@" ;;
    blame | annotate) set -- --no-textconv "$@" ;;
    stash) become_stash_reader "$@" ;;
    reflog) become_reflog_reader "$@" ;;
    remote) if [ "$1" = show ] && [ $# -gt 1 ]; then shift && set -- show -n "$@"; fi ;;
    ls-remote) become_ls_remote "$@" ;;
    # Prints the settings as they are, and starts nothing.
    config) become "$@" ;;
  esac
  become_harmless "$@"
}

become_stash_reader() {
  mode=$1
  shift
  # Without options, show prints --stat. The options below would turn this default off, so pass it.
  patterns='-*'
  [ "$mode" != show ] || any "$@" || set -- --stat "$@"
  become_harmless "$mode" --no-ext-diff --no-textconv "$@"
}

become_reflog_reader() {
  case $1 in
    exists | list) become_harmless "$@" ;;
    show) shift ;;
  esac
  become_harmless show --no-ext-diff --no-textconv "$@"
}

# Connects to another repository, with the programs of git and those of the user's configuration.
become_ls_remote() {
  override_programs '' || refuse ls-remote "the setting $setting of this repository cannot be overridden"
  GIT_ALLOW_PROTOCOL=file:git:http:https:ssh GIT_ASKPASS=${GIT_ASKPASS-} GIT_PROXY_COMMAND=
  export GIT_ALLOW_PROTOCOL GIT_ASKPASS GIT_PROXY_COMMAND
  become --upload-pack=git-upload-pack "$@"
}

# Returns whether an argument matches one of $patterns.
any() {
  for argument; do
    eval "case \$argument in $patterns) return 0 ;; esac"
  done
  return 1
}

# Returns whether all options match $patterns, and positional arguments occur only together with an
# option that matches $lists.
only() {
  words=0 lists_some=0
  for argument; do
    eval "case \$argument in $lists) lists_some=1 ;; $patterns) ;; -*) return 1 ;; *) words=1 ;; esac"
  done
  [ "$words" -eq 0 ] || [ "$lists_some" -eq 1 ]
}

count_words() {
  words=0
  for argument; do case $argument in -*) ;; *) words=$((words + 1)) ;; esac; done
}

reads() {
  patterns='--help | --ext | --ext-* | --textc* | --alternate-refs | --submodule=d*'
  ! any "$@" || refuse "$command" 'it has an option that starts programs'
  # --output of diff commands would write a file.
  patterns='--ou*'
  ! any "$@" || return 1
  case $command in
    status | blame | annotate | shortlog | rev-parse | rev-list | cat-file | ls-files | ls-tree | name-rev | merge-base | \
      for-each-ref | show-ref | show-branch | cherry | count-objects | check-ignore | check-attr | check-mailmap | \
      check-ref-format | var | version | verify-pack | patch-id | stripspace | column | get-tar-commit-id | diff | log | \
      show | whatchanged | range-diff | diff-files | diff-index | diff-tree)
      return 0
      ;;
    describe)
      patterns='--d* | --b*'
      ! any "$@"
      ;;
    grep)
      patterns='-O* | -[a-zA-Z]*O* | --op*'
      ! any "$@"
      ;;
    archive)
      patterns='-o* | --o* | --e* | --r*'
      ! any "$@"
      ;;
    ls-remote)
      patterns='--u* | --e* | -u*'
      ! any "$@"
      ;;
    fsck)
      patterns='--l*'
      ! any "$@"
      ;;
    hash-object)
      patterns='-*w*'
      ! any "$@"
      ;;
    branch | tag)
      lists='--list | --contains | --no-contains | --merged | --no-merged | --points-at | --contains=* | --merged=* | --no-merged=* | --points-at=*'
      patterns='-a | -r | -v | -vv | -av | -avv | -va | -n | -n[0-9]* | --all | --remotes | --show-current | --format=* | --sort=* | --verbose | --no-color | --column | --no-column | --color=*'
      [ "$command $1" != 'tag -l' ] || { lists="$lists | -l"; }
      only "$@" || return 1
      case "$command $*" in 'tag -a'* | 'tag -v'*) return 1 ;; esac
      ;;
    remote) case $#$1 in 0 | 1-v | 1--verbose | ?show | ?get-url) return 0 ;; *) return 1 ;; esac ;;
    config)
      patterns='--get | --get-all | --get-regexp | --get-urlmatch | --list | -l | get | list'
      any "$@" && {
        patterns='-e | --e* | --a* | --u* | --re* | set | unset | edit | rename-section | remove-section'
        ! any "$@"
        return
      }
      count_words "$@"
      patterns='-*'
      [ "$words" -eq 1 ] && ! any "$@"
      ;;
    stash) case $1 in list | show) return 0 ;; *) return 1 ;; esac ;;
    notes) case $1 in '' | list | show) return 0 ;; *) return 1 ;; esac ;;
    worktree | sparse-checkout) [ "$1" = list ] ;;
    submodule) case $1 in status | summary) return 0 ;; *) return 1 ;; esac ;;
    bisect) [ "$1" = log ] ;;
    bundle) case $1 in verify | list-heads) return 0 ;; *) return 1 ;; esac ;;
    reflog)
      patterns='expire | delete | drop | write | migrate'
      ! any "$@"
      ;;
    symbolic-ref)
      count_words "$@"
      patterns='-d | --d* | -m*'
      [ "$words" -eq 1 ] && ! any "$@"
      ;;
    lfs) case $1 in ls-files | env | version) return 0 ;; *) return 1 ;; esac ;;
    *) return 1 ;;
  esac
}

# Returns whether the command changes only files and the index of a worktree of Helios.
is_local() {
  case $command in
    add)
      patterns='-i | -p | -e | --in* | --pa* | --ed*'
      ! any "$@"
      ;;
    rm | mv | clean) return 0 ;;
    apply)
      patterns='--u*'
      ! any "$@"
      ;;
    reset | restore)
      patterns='-p | --pa*'
      ! any "$@"
      ;;
    checkout)
      is_detaching "$@" || case $1 in
        --) [ $# -gt 1 ] ;;
        -*) return 1 ;;
        *) [ $# -gt 2 ] && [ "$2" = -- ] ;;
      esac
      ;;
    switch) is_detaching "$@" ;;
    cherry-pick | revert) [ "$1" = -n ] || [ "$1" = --no-commit ] ;;
    *) return 1 ;;
  esac
}

is_detaching() { [ "$1" = --detach ] && [ $# -le 2 ]; }

# Returns whether the command is allowed in a repository that the agent made: no aliases, pushes or
# external programs.
is_own_command() {
  case $command in
    fetch | pull | rebase | submodule)
      patterns='--ex* | -x* | --up*'
      ! any "$@" || return 1
      ;;
  esac
  case $command in
    add | rm | mv | clean | apply | reset | restore | checkout | switch | cherry-pick | revert | commit | merge | rebase | \
      branch | tag | fetch | pull | stash | remote | init | gc | prune | reflog | notes | update-index | update-ref | \
      read-tree | write-tree | commit-tree | hash-object | worktree | submodule | am | format-patch | describe | lfs) return 0 ;;
    config)
      patterns='--g* | --s* | -f* | --fi* | -e | --e* | --bl*'
      ! any "$@"
      ;;
    *) return 1 ;;
  esac
}

begin_new() {
  patterns='-c | -c* | --c* | -u* | --u* | --t* | --se* | .git/* | */.git/* | .git'
  { ! any "$@" && [ -z "$placed" ]; } || refuse "$command" 'its options for settings, programs or folders are not allowed'
  case $PWD/ in */.git/*) refuse "$command" 'the current folder is inside a .git folder' ;; esac
  target=. skipped=
  for argument; do
    if [ -n "$skipped" ]; then skipped= && continue; fi
    case $argument in
      --*=*) ;;
      -b | --i* | --o* | --r*) skipped=1 ;;
      -*) ;;
      *) target=$argument ;;
    esac
  done
  [ "$command" = clone ] || { [ ! -e "$target/.git" ] && [ ! -e "$target/HEAD" ]; } || refuse init 'the folder is already a repository'
  # The template contains the file helios-own, which marks the new repository as the agent's own.
  GIT_TEMPLATE_DIR=${0%/*}/template
  export GIT_TEMPLATE_DIR
  become "$@"
}

if reads "$@"; then
  become_reader "$@"
fi
case $command in
  init | clone) begin_new "$@" ;;
  push)
    advice='The user can, with git push.'
    refuse push 'Helios never pushes'
    ;;
esac
found=$("$real" rev-parse --absolute-git-dir --git-common-dir 2>/dev/null) || found=
git_dir=${found%%
*}
common=${found#*
}
if [ -z "$found" ]; then
  case $command in
    # Outside a repository, git config changes the user's settings for all repositories.
    config) refuse "$command" 'it changes the git settings of the user' ;;
  esac
  is_own_command "$@" || refuse "$command" 'this command is not supported'
  become "$@"
fi
case $common in /*) ;; *) common=$PWD/$common ;; esac
if [ -e "$common/helios-own" ]; then
  # The worktree must belong to the agent's repository, too.
  inner=$(unset GIT_DIR GIT_WORK_TREE; top=$("$real" rev-parse --show-toplevel 2>/dev/null) && cd -- "$top" && "$real" rev-parse --absolute-git-dir)
  if [ -z "$placed" ] && { [ "$inner" = "$git_dir" ] || [ "$("$real" rev-parse --is-bare-repository)" = true ]; }; then
    is_own_command "$@" && become "$@"
    refuse "$command" 'this command is not supported'
  fi
  refuse "$command" 'the current folder does not belong to this repository'
fi
case $git_dir in
  */worktrees/*)
    if [ -e "$git_dir/helios" ]; then
      advice='This is the worktree of an experiment: edit here, and commit all changes with exp_commit.'
      case $command in commit | merge) refuse "$command" 'only exp_commit commits here' ;; esac
      # If a branch is checked out, commands such as reset would move the branch.
      read -r at <"$git_dir/HEAD"
      case $at in ref:*) refuse "$command" 'a branch of the user is checked out in this worktree' ;; esac
      [ -z "$placed" ] && is_local "$@" && become_harmless "$@"
      refuse "$command" 'it changes more than the worktree of an experiment'
    fi
    ;;
esac
refuse "$command" "it changes the repository of the user"
