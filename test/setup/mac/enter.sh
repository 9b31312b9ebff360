# Puts the tools of a Mac in place of those of this Linux, then runs the arguments after $2. Runs as
# root and as the first process of namespaces of its own for mounts and processes, so nothing of it
# outlives the arguments.
# $1: the shell that becomes sh and bash; $2: the folder of the stand-ins.
set -e
shell=$1 stand_ins=$2
shift 2
here=/srv
PATH=$PATH:/usr/sbin:/sbin
mount -t tmpfs tmpfs "$here"
mkdir "$here/usr" "$here/proc" "$here/dev" "$here/bin"
mount --bind /usr "$here/usr"
mount --bind /proc "$here/proc"

# Everything that this Linux has and a Mac has not is left out.
ln -s "$here"/usr/bin/* "$here/bin"
cd "$here/bin"
rm -f setsid timeout nproc flock ./*[0-9]sum tac shuf numfmt stdbuf free pidof watch vmstat unshare setpriv \
  prlimit ionice taskset systemctl loginctl getent bwrap ldd nvidia-smi
cd "$OLDPWD"
ln -sf "$here/usr/bin/original-awk" "$here/bin/awk"
ln -sf "$here/usr/bin/bsdtar" "$here/bin/tar"
cp "$stand_ins"/bsd "$stand_ins"/mac "$here/"
chmod 755 "$here/bsd" "$here/mac"
for name in base64 chmod chown cp cut date dd df du find grep head ln ls mkdir mktemp mv od readlink rm sed sleep \
  sort stat tail tee touch tr wc xargs; do
  ln -sf "$here/bsd" "$here/bin/$name"
done
for name in ioreg kill ps sw_vers sysctl top uname vm_stat xcode-select; do ln -sf "$here/mac" "$here/bin/$name"; done
cp "$shell" "$here/shell"
chmod 755 "$here/shell"
ln -sf "$here/shell" "$here/bin/sh"
rm -f "$here/bin/dash"
ln -sf "$here/shell" "$here/bin/bash"

# /dev/fd leads to /proc, which a Mac has not.
mount -t tmpfs tmpfs "$here/dev"
for name in full null ptmx random tty urandom zero; do
  : >"$here/dev/$name"
  mount --bind "/dev/$name" "$here/dev/$name"
done
mkdir "$here/dev/pts" "$here/dev/shm"
mount --rbind /dev/pts "$here/dev/pts"
mount -t tmpfs tmpfs "$here/dev/shm"
ln -s "$here/proc/self/fd" "$here/dev/fd"
ln -s fd/0 "$here/dev/stdin"
ln -s fd/1 "$here/dev/stdout"
ln -s fd/2 "$here/dev/stderr"
mount --rbind "$here/dev" /dev
mount -t tmpfs -o ro tmpfs /proc
# /usr/sbin has a sysctl of its own.
mount --bind "$here/mac" /usr/sbin/sysctl 2>/dev/null || :
mount --bind "$here/bin" /usr/bin
HELIOS_TEST_PROC=$here/proc
export HELIOS_TEST_PROC
set +e
# Not with exec: somebody must wait for the processes whose parents have ended.
"$@"
exit $?
