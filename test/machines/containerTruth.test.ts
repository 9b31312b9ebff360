import { after } from 'mocha';
import { ContainerConnector } from '../../src/machines/container/containerMachine.ts';
import { TestDockerd } from '../fakes/dockerd.ts';
import { truthTable, type TruthBed } from './truth.ts';

const dockerds: TestDockerd[] = [];
after(async () => {
  for (const dockerd of dockerds) await dockerd.dispose();
});

/** Containers go on while the engine is away. */
const makeBed = (image: string) => async (): Promise<TruthBed> => {
  const dockerd = await TestDockerd.start({
    withDebian: image === 'lab/debian',
    flags: ['--live-restore'],
  });
  dockerds.push(dockerd);
  const entry = {
    id: 'lab',
    kind: 'container',
    image,
    memoryMb: 64,
    engine: dockerd.socket,
  } as const;
  return {
    machine: (clock) => new ContainerConnector(entry, { engines: dockerd.engines(), clock }).open(),
    limitMemory: (machine) => machine,
    async outage() {
      await dockerd.crash();
      return () => dockerd.start('--live-restore');
    },
    async reboot() {
      const [container = ''] = (await dockerd.docker('ps', '-q')).split('\n');
      await dockerd.docker('restart', '-t', '0', container);
    },
  };
};
const options = {
  without: ['half-open link'],
  verdicts: { reboot: { kind: 'lost', why: 'its container was stopped' } },
} as const;

truthTable('a container of Debian', makeBed('lab/debian'), options);
truthTable('a container of busybox', makeBed('lab/busybox'), {
  ...options,
  isVariant: true,
  without: [...options.without, 'burst'],
});
