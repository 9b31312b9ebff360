import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A folder for PATH with an `nvidia-smi` that shows GPUs with these numbers; none: a driver that
 * does not work.
 */
export function nvidiaSmi(folder: string, indexes: readonly number[]): string {
  const lines = indexes.map((index) => `echo '${index}, GPU-0000000${index}-aaaa'`);
  const broken =
    "echo 'NVIDIA-SMI has failed because it could not communicate with the driver.'; exit 9";
  return program(folder, 'nvidia-smi', lines.length > 0 ? lines.join('\n') : broken);
}

export function rocmSmi(folder: string, indexes: readonly number[]): string {
  const lines = indexes.flatMap((index) => [
    `GPU[${index}]\t\t: GPU ID: 0x740f`,
    `GPU[${index}]\t\t: Rev: 0x02`,
  ]);
  return program(
    folder,
    'rocm-smi',
    `echo '=== ROCm System Management Interface ==='\nprintf '%s\\n' '${lines.join("' '")}'`,
  );
}

function program(folder: string, name: string, script: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return bin;
}
