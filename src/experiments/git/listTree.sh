# Prints the entries of commit $2 at the path $3; without $3, all entries.
enter_repo "$1"
g --literal-pathspecs ls-tree -r -z "$2" ${3:+-- "$3"}
