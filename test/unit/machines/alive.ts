import { readFileSync } from 'node:fs';

export const isAlive = (pid: number): boolean => {
  try {
    // A zombie answers signals; only its state tells.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
