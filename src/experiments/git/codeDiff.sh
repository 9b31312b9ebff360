enter_repo "$1"
a=$(g rev-parse -q --verify "$2^{commit}") && b=$(g rev-parse -q --verify "$3^{commit}") || exit 85
printf '%s\0%s\0' "$a" "$b"
d() { g diff --no-ext-diff --no-textconv --ignore-submodules=dirty "$@" "$a" "$b" --; }
d --quiet
case $? in 0) exit 0 ;; 1) ;; *) exit 1 ;; esac
d --stat=100 --stat-count=60 | head -c "$4"
printf '\0'
d | head -c "$5"
printf '\0'
d | wc -c
