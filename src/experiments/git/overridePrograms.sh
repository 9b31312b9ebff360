# Functions that keep git from starting programs that the configuration of a repository names. The
# git to call is $real. Programs that the user's own configuration names, such as git-lfs, are kept.

separator=$(printf '\001')
program_settings='^(filter\..*\.(clean|smudge|process)|diff\..*\.(command|textconv)|diff\.(external|submodule)|merge\..*\.driver|tar\..*\.command|gpg\.(.*\.)?program|credential\.(.*\.)?helper|core\.sshcommand|lfs\.extension\..*)$'

# Prints the settings that name programs: name, byte 1 and value, one per line. Arguments: the file to
# read, as for git config. Default: all files.
programs_in() {
  "$real" config "$@" --includes -z --get-regexp "$program_settings" 2>/dev/null | tr '\n\0' '\001\n'
}

# Prints the same for the checked-out submodules of the repository, up to $1 levels deep, because
# git runs in them with their configuration. For a submodule that cannot be entered here, prints a
# name that cannot be overridden.
programs_below() (
  unset GIT_LITERAL_PATHSPECS
  top=$("$real" rev-parse --show-toplevel 2>/dev/null) || return 0
  "$real" -c core.fsmonitor=false ls-files -s -z --full-name -- :/ 2>/dev/null | tr '\n\0' '\001\n' |
    sed -n 's/^160000 [^	]*	//p' | while IFS= read -r path; do
    case $1$path in 0* | *"$separator"*) echo 'filter.=.clean' && continue ;; esac
    [ -e "$top/$path/.git" ] || continue
    (
      unset GIT_DIR GIT_WORK_TREE
      cd -- "$top/$path" && programs_in && programs_below $(($1 - 1))
    )
  done
)

# Prints the programs that the user's own configuration names, except paths such as ./strip.sh,
# which lead to files of the repository. Reads the configuration in the repository, so that
# conditional includes apply. Also prints the values that git lfs install writes, because they name
# only git-lfs, whichever file contains them.
own_programs() {
  {
    programs_in --system
    programs_in --global
    programs_in --file "${XDG_CONFIG_HOME:-$HOME/.config}/git/config"
  } | grep -v "$separator"'!\{0,1\}["'"']"'\{0,1\}[^/~$"'"'"' ][^ /]*/'
  printf "filter.lfs.%s$separator%s\n" clean 'git-lfs clean -- %f' process git-lfs\ filter-process \
    smudge 'git-lfs smudge -- %f' smudge 'git-lfs smudge --skip -- %f' process 'git-lfs filter-process --skip'
}

override() { for option; do overrides="$overrides -c '$option'"; done; }

# Adds options to $overrides that replace the program of setting $1. Programs of diff.external and
# diff.*.command have no harmless replacement, so commands that use them need --no-ext-diff.
override_setting() {
  driver=${1#*.} driver=${driver%.*}
  case $1 in
    gpg.*) override gpg.program=gpg gpg.openpgp.program=gpg gpg.x509.program=gpgsm gpg.ssh.program=ssh-keygen ;;
    credential.*) override credential.helper= ;;
    core.sshcommand) override core.sshCommand=ssh ;;
    diff.submodule) override diff.submodule=short ;;
    *[!A-Za-z0-9._@:/+\ -]*) return 1 ;;
    filter.*) override_filter "$driver" ;;
    lfs.*) override_filter lfs ;;
    diff.*.textconv) override "$1=cat" "diff.$driver.cachetextconv=false" ;;
    merge.*) override "$1=git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B" ;;
    tar.tgz.* | tar.tar.gz.*) override "$1=gzip -cn" ;;
    tar.*) override "$1=false" ;;
  esac
}

override_filter() {
  override "filter.$1.clean=" "filter.$1.smudge=" "filter.$1.process=" "filter.$1.required=false"
}

# Sets $overrides to options for git, quoted for eval, that replace the programs which only the
# repository (or, with $1, one of its submodules) names. Returns 1 if $setting cannot be replaced.
override_programs() {
  overrides=
  named=$(programs_in; [ -z "$1" ] || programs_below 9)
  [ -n "$named" ] || return 0
  named=$(printf '%s\n' "$named" | grep -vxF -e "$(own_programs)")
  while IFS= read -r setting; do
    setting=${setting%%"$separator"*}
    override_setting "$setting" || return 1
  done <<END
$named
END
}

# Prevents git from connecting to other repositories, for example to fetch missing objects, and
# git-lfs from downloading. The settings of a repository cannot override this variable.
stay_offline() {
  GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 GIT_LFS_SKIP_SMUDGE=1
  export GIT_ALLOW_PROTOCOL GIT_NO_LAZY_FETCH GIT_LFS_SKIP_SMUDGE
}
