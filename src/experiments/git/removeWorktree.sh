enter "$1"
case $git_dir in "$common"/worktrees/?*) ;; *) exit 83 ;; esac
[ -e "$git_dir/helios" ] || { echo 'it is not a worktree of Helios' >&2; exit 83; }
cd / && rm -rf -- "$top" && rm -rf -- "$git_dir"
