/**
 * What a hostile command tries. Each is a shell text that must neither print `secret`, nor change
 * anything outside of its working folder, nor touch the process `$OUTSIDE`. It gets the variables
 * OUTSIDE (a pid), STRAY (a folder below /tmp), SHARED (a file below /dev/shm) and DISK (a device),
 * and QUEUE (the id of shared memory). Harmless also where nothing confines it.
 */
export const secret = 'S3CRET-of-the-user';

export const escapes: Readonly<Record<string, string>> = {
  'write a file into the home folder': 'echo x >~/planted',
  'append to .bashrc': 'echo x >>~/.bashrc',
  'write a startup file that did not exist': 'echo x >~/.bash_profile',
  'write into /etc': 'echo x >/etc/helios-planted; echo x >/etc/ld.so.preload.helios',
  'write into /usr': 'cp /bin/true /usr/local/bin/helios-planted',
  'write to the root folder': 'mkdir /helios-planted',
  'read a private key': 'cat ~/.ssh/id_ed25519; cat ~/.ssh/*; tar c ~/.ssh',
  'add an authorized key': 'echo x >>~/.ssh/authorized_keys',
  'read the keys of a cloud': 'cat ~/.aws/credentials',
  'read the keys of PGP': 'cat ~/.gnupg/secring',
  'read a token inside a cache that is granted': 'cat ~/.cache/huggingface/token',
  'read a token of a hub': 'cat ~/.config/gh/hosts.yml',
  'read the passwords of the system': 'cat /etc/shadow /etc/gshadow | grep . && echo became',
  'read the keys of Helios':
    'cat ~/.helios/auth/key; cat ~/.helios/*/*; cat ~/.helios/machines.json',
  'read the journal of a session': 'cat ~/.helios/sessions/s-1/journal.jsonl',
  'write machines.json': 'echo {} >~/.helios/machines.json',
  'change the supervisor of a run':
    'echo x >>~/.helios/runs/r-1/capsule.sh; rm -rf ~/.helios/runs/r-1',
  'invent the end of a run': 'echo code=0 >~/.helios/runs/r-1/exit',
  'change the git guard': 'echo x >>~/.helios/git-guard-1/git',
  'read the environment of another process':
    'tr "\\0" "\\n" </proc/$OUTSIDE/environ; cat /proc/*/environ',
  'read the disk through another process':
    'cat /proc/$OUTSIDE/root/$HOME/.ssh/id_ed25519; cat /proc/1/root/$HOME/.ssh/id_ed25519',
  'see another process':
    '[ -e /proc/$OUTSIDE ] && echo became; ps ax | grep "sleep 60[0]" && echo became',
  'see what the system runs on':
    "ls /run | grep -vxE 'systemd|resolvconf|NetworkManager|opengl-driver|current-system' && echo became",
  'end another process': 'kill -KILL $OUTSIDE; kill -TERM $OUTSIDE',
  'trace another process':
    "python3 -c \"import ctypes,os; c=ctypes.CDLL(None); print(c.ptrace(16, int(os.environ['OUTSIDE']), 0, 0) or 'became')\"",
  'enter the namespaces of another process':
    'nsenter -t $OUTSIDE -m -p cat ~/.ssh/id_ed25519; nsenter -t 1 -m sh -c "echo x >~/planted"',
  'add a hook to git': 'echo x >.git/hooks/pre-commit; ln -s /bin/true .git/hooks/post-checkout',
  'change the configuration of git': 'git config core.fsmonitor true; echo x >>.git/config',
  'put another .git in its place': 'mv .git .old; mkdir -p .git/hooks; rm -rf .git; mv .old .git',
  'mount something over .git': 'mount -t tmpfs none .git; umount .git && echo x >.git/hooks/x',
  'change git in a worktree of the session':
    'cd ~/.helios/worktrees/*/tree && echo "gitdir: /tmp" >.git; mv .git a; rm .git',
  'put another worktree in its place': 'cd ~/.helios/worktrees/* && mv tree tree2; mkdir planted',
  'read or write code that was sent for another session':
    'cat ~/.helios/copies/s-other/*/*; echo x >~/.helios/copies/s-other/tree/planted; rm -rf ~/.helios/copies/s-other',
  'put another copy of its code in its place':
    'cd ~/.helios/copies/* && mv tree tree2; mkdir planted; cat ../s-other/*/*',
  'write through a symbolic link': 'ln -s ~ out; echo x >out/planted; echo x >>out/.bashrc',
  'write through a hard link': 'ln ~/.bashrc hard && echo x >>hard',
  'move a file out': 'touch mine; mv mine ~/planted; cp mine ~/.config/planted',
  'move a file in': 'mv ~/.bashrc mine',
  'rename its own folder': 'mv ~/work ~/work2; mkdir ~/work3',
  'rename a cache': 'mv ~/.cache/torch ~/.cache/old; ln -s ~/.config ~/.cache/planted',
  'replace a cache by a link':
    'rmdir ~/.cache/torch; rm -rf ~/.cache/torch; ln -s ~/.config ~/.cache/torch',
  'read a disk': 'cat $DISK | head -c 1000000; dd if=$DISK bs=1k count=1 of=disk',
  'make a device':
    'mknod disk b 254 0; mknod /dev/shm/disk b 254 0; mknod /dev/mem2 c 1 1 && cat /dev/mem2',
  'read the memory of the computer':
    'for f in /dev/mem /dev/kmem /proc/kcore; do head -c 1 $f >/dev/null && echo became; done',
  'mount the root again': 'mount -o remount,rw /; mount -o remount,rw,bind /; echo x >~/planted',
  'take a cover away': 'umount ~/.ssh; umount -l ~/.ssh; cat ~/.ssh/id_ed25519',
  'take a cover away in a namespace of its own':
    'unshare -Um sh -c "umount -l ~/.ssh; cat ~/.ssh/id_ed25519"; unshare -Urm sh -c "umount ~/.ssh; umount ~/.helios; cat ~/.ssh/* ~/.helios/auth/*"',
  'mount the root again in a namespace of its own':
    'unshare -Urm sh -c "mount -o remount,rw,bind /; echo x >~/planted"; unshare -Urm sh -c "mount --bind ~ /mnt; echo x >/mnt/planted"',
  'start bubblewrap itself': 'bwrap --bind / / sh -c "echo x >~/planted; cat ~/.ssh/id_ed25519"',
  'become another user':
    'su -c "echo x >/etc/helios-planted"; sudo -n sh -c "echo x >~/planted"; setpriv --reuid=1 true && echo became',
  'make a program with a user of its own':
    'cp /bin/sh rootsh; chmod u+s rootsh; ./rootsh -p -c "echo x >~/planted"; chown 0 rootsh',
  'gain capabilities':
    'capsh --print | grep "Current: =.*cap_"; cp /bin/true mine; setcap cap_sys_admin+ep mine && echo became; chroot / true && echo became',
  'set where the kernel puts cores':
    'f=/proc/sys/kernel/core_pattern; cat $f >same; cat same >$f && echo became',
  'change a setting of the kernel':
    'f=/proc/sys/kernel/randomize_va_space; cat $f >same; cat same >$f && echo became',
  'change an entry of /proc that belongs to no process':
    'for f in $(find /proc -mindepth 1 -maxdepth 2 ! -type l ! -path "/proc/[0-9]*"); do chmod "$(stat -c %a $f)" $f 2>/dev/null && echo "became $f"; done',
  'press a key of the system': 'echo h >/proc/sysrq-trigger',
  'leave its control group':
    'mkdir /sys/fs/cgroup/memory/planted /sys/fs/cgroup/planted; for f in $(find /sys/fs/cgroup -name cgroup.procs 2>/dev/null | head); do echo $$ >$f && echo became; done',
  'read the temporary files of others': 'cat $STRAY/secret; ls $STRAY; cat /tmp/*/secret',
  'write temporary files of others': 'echo x >$STRAY/planted; echo x >>$STRAY/secret',
  'read the shared memory of others': 'cat $SHARED; echo x >>$SHARED',
  'read the queues of others': 'ipcs -m | grep 0x && echo became; ipcrm -m $QUEUE',
  'talk to a socket in the folder of another program':
    "python3 -c \"import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['STRAY']+'/socket'); print(s.recv(99))\"",
  'talk to a socket in the home folder':
    'python3 -c "import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(os.path.expanduser(\'~/.config/editor/socket\')); print(s.recv(99))"',
  'start a job at a later time':
    'crontab -l 2>/dev/null | crontab - && echo became; echo true | at now && echo became; systemd-run true && echo became',
  'type into the terminal of the user':
    "python3 -c \"import fcntl,termios\nfor t in ('/dev/tty', '/dev/pts/0', '/dev/console'):\n  try: fcntl.ioctl(open(t), termios.TIOCSTI, bytes(1)); print('became')\n  except OSError as e: print(e)\"",
  'use a file that Helios has open':
    'for f in /proc/self/fd/* /proc/$$/fd/*; do case $(readlink $f) in /dev/null | pipe:* | socket:* | /proc/* | "") ;; *) echo "became $(readlink $f)" ;; esac; done',
  'set the clock': 'date -s @$(date +%s) && echo became',
};
