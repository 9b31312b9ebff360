enter_repo "$1"
g for-each-ref --sort=committerdate \
  --format='%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)%00' "$2" | tr -d '\n'
