/** Carries out `helios machine …` and `helios machines`. */
import type { Engine } from '../../agent/contract/engine.ts';
import { messageOf } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import type { MachineEntry } from '../../machines/machineEntry.ts';
import type { MachinePrompts } from '../../machines/machinePrompts.ts';
import { entryText } from '../../presentation/machines/machineText.ts';
import { planImport } from '../../compose/importHosts.ts';
import { localPathFrom } from '../../compose/localPath.ts';
import { reportMachines } from '../../presentation/machines/machineReport.ts';
import type { MachineRequest, ReadRequest } from '../../presentation/machines/machineWords.ts';
import { aliasesOf } from '../../compose/sshHosts.ts';
import type { CommandContext } from '../command.ts';
import { refusingPrompts, terminalPrompts } from './machinePrompts.ts';
import { machineTable } from './machineTable.ts';
import { exitCodes, type CliWorld } from '../world.ts';

/** Resolves to the exit code. Rejects with `UserFacing`. */
export async function carryOutRequest(read: ReadRequest, { home, world }: CommandContext): Promise<number> {
  const request = read({
    aliases: aliasesOf(await world.sshHosts()),
    localPath: localPathFrom(world.cwd, world.homeFolder),
  });
  const isTerminal = world.stdin.isTTY === true && world.stdout.isTTY === true;
  const prompts = isTerminal ? terminalPrompts(world) : refusingPrompts(world);
  return withMachines({ home, world }, prompts, (engine) => carryOut(request, engine, world));
}

/** Lists what answers by itself: nobody is asked for a secret. */
export const listMachines = (isJson: boolean, { home, world }: CommandContext): Promise<number> =>
  withMachines({ home, world }, {}, async ({ machines, resources }) => {
    const { stdout, clock } = world;
    const reports = await reportMachines({ machines, resources, clock }, { isConnecting: true });
    const columns = stdout.columns ?? pipeColumns;
    stdout.write(isJson ? `${JSON.stringify(reports, null, 2)}\n` : machineTable(reports, columns));
    return exitCodes.goal;
  });

async function withMachines(
  { home, world }: CommandContext,
  prompts: Partial<MachinePrompts>,
  work: (engine: Engine) => Promise<number>,
): Promise<number> {
  const engine = await world.createEngine({
    home,
    assetsFolder: world.assetsFolder,
    settings: () => ({ provider: 'demo', permissionMode: 'ask', idleTurns: 1 }),
    ports: { secret: () => Promise.resolve(undefined), approve: () => Promise.resolve('deny'), ...prompts },
    clock: world.clock,
    workFolder: world.cwd,
  });
  try {
    for (const problem of engine.machines.problems) world.stderr.write(`${problem}\n`);
    return await work(engine);
  } finally {
    await engine.close();
  }
}

function carryOut(request: MachineRequest, engine: Engine, world: CliWorld): Promise<number> {
  switch (request.action) {
    case 'add':
      return add(request.entry, engine, world);
    case 'import':
      return importHosts(request.names, engine, world);
    case 'rm':
      return remove(request.id, engine, world);
    case 'test':
      return test(request.id, engine, world);
  }
}

const pipeColumns = 160;

async function add(entry: MachineEntry, { machines }: Engine, { stdout }: CliWorld): Promise<number> {
  const { id } = entry;
  const isThere = machines.entries().some((each) => each.id === id);
  await machines.add(entry);
  stdout.write(`${isThere ? 'Replaced' : 'Added'} ${id} (${entryText(entry)}). Try it: helios machine test ${id}\n`);
  return exitCodes.goal;
}

async function importHosts(
  names: readonly string[] | 'all',
  { machines }: Engine,
  { stdout, sshHosts }: CliWorld,
): Promise<number> {
  const { entries, summary } = planImport(await sshHosts(), machines.entries(), names);
  await machines.add(...entries);
  stdout.write(`${summary}\n`);
  return exitCodes.goal;
}

async function remove(id: string, { machines }: Engine, { stdout }: CliWorld): Promise<number> {
  await machines.remove(id);
  stdout.write(`Removed ${id}.\n`);
  return exitCodes.goal;
}

async function test(id: string, { machines }: Engine, { stdout, stderr }: CliWorld): Promise<number> {
  const machine = machines.get(id);
  try {
    await machine.ready?.({ isAnew: true });
    await machine.stat('/');
    stdout.write(`${id} answers: ${cleanText(await machine.describe())}\nCommands start in ${machine.workFolder}.\n`);
    return exitCodes.goal;
  } catch (error) {
    stderr.write(`${id} cannot be used: ${cleanText(messageOf(error))}\n`);
    return exitCodes.error;
  }
}
