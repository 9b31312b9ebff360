import { readFileSync } from 'node:fs';
import { procFolder } from '../../setup/proc.ts';

export const isAlive = (pid: number): boolean => {
  try {
    // A zombie answers signals; only its state tells.
    return !/\) Z/.test(readFileSync(`${procFolder}/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
