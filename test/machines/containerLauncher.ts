/**
 * A process of its own that launches a run in a container, says so, and stays until it is killed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.ts';
import { systemClock } from '../../src/base/clock.ts';
import { ContainerConnector } from '../../src/machines/container/containerMachine.ts';
import { OwnEngines } from '../../src/machines/container/ownEngines.ts';
import type { ContainerEntry } from '../../src/machines/machineEntry.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { RunSpec } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { writeFileAtomic } from '../../src/storage/atomicFile.ts';

const [entryText = '', specText = '', home = ''] = process.argv.slice(2);
const engines = new OwnEngines({
  home,
  file: join(home, 'engines.json'),
  write: writeFileAtomic,
  logger: silentLogger,
});
const way = new ContainerConnector(JSON.parse(entryText) as ContainerEntry, {
  engines,
  clock: systemClock,
});
const folder = join(home, 'first');
mkdirSync(folder);
const runs = new Runs({ machines: createMachines([await way.open()]), folder, clock: systemClock });
const run = await runs.launch(JSON.parse(specText) as RunSpec);
console.log(JSON.stringify(run.spec));
setInterval(() => undefined, 1000);
