find "$1" -mindepth 1 -maxdepth 1 -type d -print0 2>/dev/null
printf '\0'
find "$1" -mindepth 1 -maxdepth 1 -type f -name '*.repo' -exec cat -- {} + 2>/dev/null | tr '\n' '\0'
