import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [root, limitFile] = existsSync('/sys/fs/cgroup/memory')
  ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
  : ['/sys/fs/cgroup', 'memory.max'];
const group = join(root, `helios-truth-${process.pid}`);

/**
 * A shell line after which the shell may use 20 MiB, with all that it starts. Needs root;
 * `leaveMemoryGroup` removes it.
 */
export function enterMemoryGroup(): string {
  if (!existsSync(group)) {
    mkdirSync(group);
    writeFileSync(join(group, limitFile), String(20 * 1024 * 1024));
  }
  return `echo $$ >${group}/cgroup.procs`;
}

export function leaveMemoryGroup(): void {
  if (existsSync(group)) rmdirSync(group);
}
