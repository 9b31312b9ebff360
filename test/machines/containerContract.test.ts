import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import {
  ContainerConnector,
  type ContainerMachine,
} from '../../src/machines/container/containerMachine.ts';
import { TestDockerd } from '../fakes/dockerd.ts';
import { machineContract } from '../unit/machines/contract.ts';

describe('in a container', () => {
  let dockerd: TestDockerd;
  let way: ContainerConnector;
  let machine: ContainerMachine;
  before(async () => {
    dockerd = await TestDockerd.start({ withDebian: true });
    const folder = realpathSync(tmpdir());
    way = new ContainerConnector(
      {
        id: 'lab',
        kind: 'container',
        image: 'lab/debian',
        engine: dockerd.socket,
        mounts: [{ source: folder, target: folder }],
      },
      { engines: dockerd.engines(), clock: systemClock },
    );
    machine = await way.open();
  });
  after(async () => {
    way?.dispose();
    await dockerd?.dispose();
  });

  machineContract('ContainerMachine', () => machine);
});
