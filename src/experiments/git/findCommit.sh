enter_repo "$1"
g rev-parse -q --verify "$2^{commit}" || :
