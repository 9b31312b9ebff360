/** Says in a few words why a command needs consent: what it does beyond reading. */

const reasons: readonly (readonly [programs: RegExp, reason: string])[] = [
  [/^(?:python[\d.]*|ipython|perl|ruby|node|deno|bun|php|lua|Rscript|julia|R|java)$/, 'runs code'],
  [/^(?:(?:ba|da|z|k|a|c|tc|fi)?sh|busybox|eval|source|\.)$/, 'runs a script'],
  [
    /^(?:pip3?|uv|conda|mamba|poetry|npm|npx|yarn|pnpm|apt|apt-get|yum|dnf|brew|cargo|gem|go)$/,
    'may install or run packages',
  ],
  [
    /^(?:curl|wget|fetch|aria2c|http|https|nc|ncat|netcat|socat|telnet|ping|dig|nslookup)$/,
    'contacts another host',
  ],
  [/^(?:ssh|scp|sftp|rsync|rclone|mosh|ftp|lftp)$/, 'contacts another host'],
  [/^(?:rm|rmdir|unlink|shred)$/, 'removes files'],
  [
    /^(?:mv|cp|ln|tee|touch|mkdir|install|dd|truncate|chmod|chown|chgrp|patch|tar|zip|unzip|gzip|gunzip|split)$/,
    'writes files',
  ],
  [/^(?:kill|pkill|killall|xkill|scancel|skill)$/, 'ends processes'],
  [/^(?:sudo|su|doas|runuser|pkexec)$/, 'runs as another user'],
  [/^(?:docker|podman|apptainer|singularity|kubectl)$/, 'acts on containers'],
  [/^(?:sbatch|srun|salloc|qsub|bsub|torchrun|accelerate|mpirun|deepspeed)$/, 'starts jobs'],
  [/^(?:env|printenv|set|export|declare|unset)$/, 'shows or sets the environment'],
  [/^git$/, 'may change a repository or contact another host'],
  [/^make$/, 'runs the commands of a makefile'],
  [/^(?:less|more|man|vi|vim|nano|emacs|htop|watch|nvtop)$/, 'needs a terminal'],
];

/**
 * Returns the reason as the rest of a sentence. `isPath`: the command names the program by a path.
 */
export function programReason(program: string, isPath: boolean): string {
  const known = reasons.find(([programs]) => programs.test(program))?.[1];
  return known ?? (isPath ? 'runs a program by its path' : `${program} is not known to only read`);
}

/** Returns true if the list has a reason for this program. */
export const hasProgramReason = (program: string): boolean =>
  reasons.some(([programs]) => programs.test(program));
