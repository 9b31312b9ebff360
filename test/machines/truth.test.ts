import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'mocha';
import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import type { Machine } from '../../src/machines/machine.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { enterMemoryGroup, leaveMemoryGroup } from '../fakes/memoryGroup.ts';
import { scriptedPrompts, TestSshd } from '../fakes/sshd.ts';
import { TcpProxy } from '../fakes/tcpProxy.ts';
import { isLong } from '../setup/needs.ts';
import { truthTable, type TruthBed } from './truth.ts';

const folder = mkdtempSync(join(tmpdir(), 'helios-truth-'));
const owned: (() => Promise<void> | void)[] = [];
after(async () => {
  for (const dispose of owned.splice(0).reverse()) await dispose();
  leaveMemoryGroup();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const makeLocal = (): Promise<TruthBed> => {
  const workFolder = join(folder, 'local');
  mkdirSync(workFolder);
  return Promise.resolve<TruthBed>({
    machine: (clock) =>
      Promise.resolve(
        new LocalMachine({ runsFolder: join(workFolder, 'runs'), workFolder, clock }),
      ),
    limitMemory,
  });
};
truthTable('local', makeLocal, {
  without: ['outage', 'half-open link'],
  ...(isLong && { burstLines: 3_000_000 }),
});

truthTable('SSH', async () => {
  const sshd = await TestSshd.start();
  const proxy = await TcpProxy.to(sshd.port);
  owned.push(
    () => sshd.dispose(),
    () => proxy.dispose(),
  );
  const knownHosts = join(folder, 'known_hosts');
  const hostKey = readFileSync(join(sshd.folder, 'host_key.pub'), 'utf8');
  writeFileSync(knownHosts, `[127.0.0.1]:${proxy.port} ${hostKey}`);
  const homeFolder = join(folder, 'ssh');
  mkdirSync(homeFolder);
  const target = sshd.target({ port: proxy.port, knownHostsFiles: [knownHosts] });
  return {
    machine(clock) {
      const connection = new SshConnection(target, {
        ...scriptedPrompts(),
        clock,
        random: () => 0,
      });
      const machine = new SshMachine({ id: 'gpu1', connection, homeFolder, clock });
      const dispose = machine.dispose.bind(machine);
      return Promise.resolve(
        Object.assign(machine, {
          dispose() {
            dispose();
            connection.dispose();
          },
        }),
      );
    },
    limitMemory,
    async outage() {
      await sshd.stop();
      return () => sshd.start();
    },
    silence() {
      proxy.silence();
      return Promise.resolve(() => Promise.resolve(proxy.restore()));
    },
  } satisfies TruthBed;
});

/** Supervisors are started in a control group with little memory. */
function limitMemory(machine: Machine): Machine {
  const spawn = machine.spawnDetached.bind(machine);
  const enter = `${enterMemoryGroup()} && exec "$@"`;
  return Object.assign(machine, {
    spawnDetached: ((argv, options) =>
      spawn(['/bin/sh', '-c', enter, 'sh', ...argv], options)) satisfies Machine['spawnDetached'],
  });
}
