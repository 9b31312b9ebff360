# Prints which files of the file or folder $p may contain secrets: n and the path if the name
# suggests it, c and the path if the content matches $patterns. Does not search data files.
if [ -d "$p" ]; then cd -- "$p" || exit 1; else cd -- "${p%/*}/" && set -- "./${p##*/}"; fi
[ "$#" -gt 0 ] || set -- .
export patterns
find "$@" -name .git -prune -o -type f \( -iname '.env*' -o -iname '*.env' -o -iname '*.pem' \
  -o -iname '*.key' -o -iname '*.p12' -o -iname '*.pfx' -o -iname '*.p8' -o -iname '*.jks' \
  -o -iname '*.keystore' -o -iname '*.kdbx' -o -iname '*.ppk' -o -iname 'id_*' -o -iname '*rc' \
  -o -iname '*pgpass' -o -iname '*credentials*' -o -iname '*htpasswd' -o -iname '*my.cnf' \
  -o -iname '*s3cfg' -o -iname '*boto' -o -iname '*secret*' -o -iname '*service?account*' \
  -o -iname 'kubeconfig*' -o -iname 'kaggle*' -o -iname 'token*' -o -iname 'gcloud-*' \
  -o -iname '*dockercfg' \) -print | sed 's/^/n/'
# shellcheck disable=SC2016 # For the inner shell.
find "$@" -name .git -prune -o -type f -size -4096 ! -iname '*.jpg' ! -iname '*.jpeg' \
  ! -iname '*.png' ! -iname '*.npy' ! -iname '*.npz' ! -iname '*.pt' ! -iname '*.bin' \
  ! -iname '*.parquet' ! -iname '*.wav' ! -iname '*.flac' ! -iname '*.tfrecord' \
  ! -iname '*.safetensors' -exec sh -c 'grep -lE -e "$patterns" -- "$@"' sh {} + | sed 's/^/c/'
exit 0
