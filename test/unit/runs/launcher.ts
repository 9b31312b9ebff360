/**
 * A process of its own that launches the run of the spec given as JSON, says so, and stays until it
 * is killed.
 */
import { systemClock } from '../../../src/base/clock.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import type { RunSpec } from '../../../src/runs/run.ts';
import { Runs } from '../../../src/runs/runs.ts';

const [specText = '', runsFolder = ''] = process.argv.slice(2);
const spec = JSON.parse(specText) as RunSpec;
const machine = new LocalMachine({ runsFolder, workFolder: spec.cwd });
const runs = new Runs({
  machines: createMachines([machine]),
  folder: runsFolder,
  clock: systemClock,
});
const run = await runs.launch(spec);
console.log(run.handle);
setInterval(() => undefined, 1000);
