# Prints files below folder $1 that have the name of a private key, or hold one in PEM, at most 20,
# each on a line, then a NUL. Leaves out installed packages, whose keys are public.
key_files() {
  find "$1" -maxdepth 8 \( -name node_modules -o -name site-packages -o -name dist-packages \
    -o -name .git \) -prune -o -type f \( -name id_rsa -o -name id_dsa -o -name 'id_ecdsa*' \
    -o -name 'id_ed25519*' -o -name '*.ppk' -o -name '*.p12' -o -name '*.pfx' -o -name '*.jks' \
    -o -name '*.keystore' -o -name '*.kdbx' -o -name .git-credentials -o -name kaggle.json \) \
    -print -o -type f \( -name '*.[pP][eE][mM]' -o -name '*.[kK][eE][yY]' \) \
    -exec grep -l -e '-----BEGIN [A-Z0-9 ]*PRIVATE KEY' {} + 2>/dev/null | head -n 20
  printf '\0'
}
