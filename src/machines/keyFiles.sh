# Prints the paths of files below folder $1 that are named like a private key or a file of secrets,
# or contain a private key in PEM format, each with a NUL; then another NUL. At most 64 KiB of
# paths. Skips installed packages, whose keys are public, and of git repositories everything except
# settings that contain a token.
key_files() {
  find "$1" -maxdepth 8 \
    \( -name node_modules -o -name site-packages -o -name dist-packages \) -prune \
    -o -path '*/.git/*' -type d \( -name objects -o -name refs -o -name logs -o -name lfs \) -prune \
    -o -path '*/.git/*' -type f -name 'config*' -exec sh -c "$holding" sh \
    'extraheader|://[^/ ]*@|token|passw' {} + \
    -o -path '*/.git/*' \
    -o -type f \( -iname '*.pem' -o -iname '*.key' \) -exec sh -c "$holding" sh \
    '-----BEGIN [A-Z0-9 ]*PRIVATE KEY' {} + \
    -o -type f \( -iname 'id_rsa' -o -iname 'id_dsa' -o -iname 'id_ecdsa*' -o -iname 'id_ed25519*' \
    -o -iname '*.ppk' -o -iname '*.p12' -o -iname '*.pfx' -o -iname '*.jks' -o -iname '*.keystore' \
    -o -iname '*.kdbx' -o -iname '*.keytab' -o -iname '.git-credentials' -o -iname 'kaggle.json' \
    -o -iname '*.env' -o -iname '.env.*' -o -iname '.envrc*' -o -iname '[._]netrc' \
    -o -iname '[._]npmrc' -o -iname '[._]yarnrc.yml' -o -iname '[._]pypirc' -o -iname '[._]pgpass' \
    -o -iname '[._]my.cnf' -o -iname '[._]htpasswd' -o -iname 'credentials*' -o -iname 'secret' \
    -o -iname 'secrets' -o -iname 'secret.*' -o -iname 'secrets.*' -o -iname '.*history' \
    -o -iname 'service[-_]account*.json' \) -print0 2>/dev/null | head -c 65536
  printf '\0'
}
# Prints the files that contain a line with the pattern $1.
# shellcheck disable=SC2016
holding='pattern=$1; shift
for file do
  if grep -q -i -E -e "$pattern" "$file"; then printf "%s\\0" "$file"; fi
done'
