/** Carries out `helios machine …` and `helios machines`. */
import type { Engine } from '../../agent/contract/engine.ts';
import { messageOf } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import type { MachineEntry } from '../../machines/machineEntry.ts';
import { entryText } from '../../presentation/machines/machineText.ts';
import { planImport } from '../../compose/importHosts.ts';
import { localPathFrom } from '../../compose/localPath.ts';
import { reportMachines } from '../../presentation/machines/machineReport.ts';
import { readMachineWords, type MachineRequest } from '../../presentation/machines/machineWords.ts';
import { aliasesOf } from '../../compose/sshHosts.ts';
import type { MachineArguments } from './machineArguments.ts';
import { refusingPrompts, terminalPrompts } from './machinePrompts.ts';
import { machineTable } from './machineTable.ts';
import { exitCodes, type CliWorld } from '../world.ts';

/** The exit code. Rejects with `UserFacing`. */
export async function runMachineCommand(
  { words, isJson }: MachineArguments,
  home: string,
  world: CliWorld,
): Promise<number> {
  const request = readMachineWords(words, {
    aliases: aliasesOf(await world.sshHosts()),
    localPath: localPathFrom(world.cwd, world.homeFolder),
  });
  const isTerminal = world.stdin.isTTY === true && world.stdout.isTTY === true;
  // A list asks nobody: it shows what answers by itself.
  const isQuiet = request.action === 'list';
  const engine = await world.createEngine({
    home,
    assetsFolder: world.assetsFolder,
    settings: () => ({ provider: 'demo', permissionMode: 'ask', idleTurns: 1 }),
    ports: {
      secret: () => Promise.resolve(undefined),
      approve: () => Promise.resolve('deny'),
      ...(!isQuiet && (isTerminal ? terminalPrompts(world) : refusingPrompts(world))),
    },
    clock: world.clock,
    workFolder: world.cwd,
  });
  try {
    for (const problem of engine.machines.problems) world.stderr.write(`${problem}\n`);
    return await (request.action === 'list' ? list(engine, world, isJson) : carryOut(request, engine, world));
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

async function list({ machines, resources }: Engine, { stdout, clock }: CliWorld, isJson: boolean): Promise<number> {
  const reports = await reportMachines({ machines, resources, clock }, { isConnecting: true });
  const columns = stdout.columns ?? pipeColumns;
  stdout.write(isJson ? `${JSON.stringify(reports, null, 2)}\n` : machineTable(reports, columns));
  return exitCodes.goal;
}

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
