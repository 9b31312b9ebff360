import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before } from 'mocha';
import type { MachineEntry } from '../../../../src/machines/machineEntry.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { LoginHost } from '../../../fakes/loginHost.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { setupContract } from './setupContract.ts';

const folder = scratchFolder();

function write(home: string, path: string, text: string): Promise<void> {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll('HOME/', `${home}/`));
  return Promise.resolve();
}

setupContract('this computer', () => ({
  open: (fields) =>
    new LocalMachine({
      runsFolder: join(folder(), 'runs'),
      workFolder: folder(),
      env: { ...process.env, HOME: folder(), CONDA_EXE: undefined },
      setupFields: () => Promise.resolve(fields),
    }),
  writeHome: (path, text) => write(folder(), path, text),
  passed: ['WANDB_API_KEY', 'AWS_SESSION_TOKEN'],
}));

let host: LoginHost;
before(async () => {
  host = await LoginHost.start('ssh');
});
after(() => host.dispose());

setupContract('SSH', () => ({
  open: (fields) => {
    rmSync(join(host.home, 'profile-ran'), { force: true });
    const entry: MachineEntry = { id: 'gpu1', kind: 'ssh', alias: 'login', ...fields };
    return host.createMachine(entry);
  },
  writeHome: (path, text) => write(host.home, path, text),
  passed: [],
}));
