/** Carries out `helios machine …` and `helios machines`. */
import type { Engine } from '../../agent/contract/engine.ts';
import { adviceOf } from '../../base/errors.ts';
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
import { singleLine } from '../screen/terminalText.ts';
import { machineTable } from './machineTable.ts';
import { exitCodes, type CliDeps } from '../cliDeps.ts';

/**
 * Carries out `helios machine …`. Resolves with the exit code. Rejects with `UserFacing` if the
 * arguments are invalid.
 */
export async function carryOutRequest(
  read: ReadRequest,
  { home, deps }: CommandContext,
): Promise<number> {
  const request = read({
    aliases: aliasesOf(await deps.sshHosts()),
    localPath: localPathFrom(deps.cwd, deps.homeFolder),
  });
  const isTerminal = deps.stdin.isTTY === true && deps.stdout.isTTY === true;
  const prompts = isTerminal ? terminalPrompts(deps) : refusingPrompts(deps);
  return withMachines({ home, deps }, prompts, (engine) => carryOut(request, engine, deps));
}

/** Lists the machines, without asking the user for secrets. */
export const listMachines = (isJson: boolean, { home, deps }: CommandContext): Promise<number> =>
  withMachines({ home, deps }, {}, async ({ machines, resources }) => {
    const { stdout, clock } = deps;
    const reports = await reportMachines({ machines, resources, clock }, { isConnecting: true });
    const columns = stdout.columns ?? pipeColumns;
    stdout.write(isJson ? `${JSON.stringify(reports, null, 2)}\n` : machineTable(reports, columns));
    return exitCodes.goal;
  });

async function withMachines(
  { home, deps }: CommandContext,
  prompts: Partial<MachinePrompts>,
  work: (engine: Engine) => Promise<number>,
): Promise<number> {
  const engine = await deps.createEngine({
    home,
    assetsFolder: deps.assetsFolder,
    settings: () => ({ provider: 'demo', permissionMode: 'ask', idleTurns: 1 }),
    ports: {
      secret: () => Promise.resolve(undefined),
      ...prompts,
    },
    clock: deps.clock,
    workFolder: deps.cwd,
  });
  try {
    for (const problem of engine.machines.problems) deps.stderr.write(`${singleLine(problem)}\n`);
    return await work(engine);
  } finally {
    await engine.close();
  }
}

function carryOut(request: MachineRequest, engine: Engine, deps: CliDeps): Promise<number> {
  switch (request.action) {
    case 'add':
      return add(request.entry, engine, deps);
    case 'import':
      return importHosts(request.names, engine, deps);
    case 'rm':
      return remove(request.id, engine, deps);
    case 'test':
      return test(request.id, engine, deps);
  }
}

const pipeColumns = 160;

async function add(
  entry: MachineEntry,
  { machines }: Engine,
  { stdout }: CliDeps,
): Promise<number> {
  const { id } = entry;
  const isThere = machines.entries().some((each) => each.id === id);
  await machines.add(entry);
  stdout.write(
    `${isThere ? 'Replaced' : 'Added'} ${id} (${entryText(entry)}). Try it: helios machine test ${id}\n`,
  );
  return exitCodes.goal;
}

async function importHosts(
  names: readonly string[] | 'all',
  { machines }: Engine,
  { stdout, sshHosts }: CliDeps,
): Promise<number> {
  const { entries, summary } = planImport(await sshHosts(), machines.entries(), names);
  await machines.add(...entries);
  stdout.write(`${summary}\n`);
  return exitCodes.goal;
}

async function remove(id: string, { machines }: Engine, { stdout }: CliDeps): Promise<number> {
  await machines.remove(id);
  stdout.write(`Removed ${id}.\n`);
  return exitCodes.goal;
}

async function test(
  id: string,
  { machines }: Engine,
  { stdout, stderr }: CliDeps,
): Promise<number> {
  const machine = machines.get(id);
  try {
    await machine.ready?.({ isAnew: true });
    await machine.stat('/');
    stdout.write(
      `${id} answers: ${singleLine(cleanText(await machine.describe()))}\nCommands start in ${machine.workFolder}.\n`,
    );
    return exitCodes.goal;
  } catch (error) {
    stderr.write(`${id} cannot be used: ${cleanText(adviceOf(error))}\n`);
    return exitCodes.error;
  }
}
