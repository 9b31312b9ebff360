/** Carries out `helios machine …` and `helios machines`. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../agent/engine.ts';
import { messageOf, UserFacing } from '../base/errors.ts';
import { cleanText } from '../base/text.ts';
import { describeWithin } from '../machines/describeWithin.ts';
import type { Machine } from '../machines/machine.ts';
import { parseMachineSpec, placeText, type MachineEntry } from '../machines/machineEntry.ts';
import type { MachineRequest } from './machineArguments.ts';
import { refusingPrompts, terminalPrompts } from './machinePrompts.ts';
import { exitCodes, type CliWorld } from './world.ts';

/** The exit code. Rejects with `UserFacing`. */
export async function runMachineCommand(request: MachineRequest, home: string, world: CliWorld): Promise<number> {
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
    return await carryOut(request, engine, world);
  } finally {
    await engine.close();
  }
}

function carryOut(request: MachineRequest, engine: Engine, world: CliWorld): Promise<number> {
  switch (request.action) {
    case 'list':
      return list(engine, world, request.isJson);
    case 'add':
      return add(request, engine, world);
    case 'rm':
      return remove(request.id, engine, world);
    case 'test':
      return test(request.id, engine, world);
  }
}

interface Row {
  readonly id: string;
  readonly kind: string;
  /** `ada@gpu1:2222`; absent for this computer. */
  readonly place?: string;
  readonly status: 'connected' | 'unreachable';
  readonly description?: string;
  readonly why?: string;
}

async function list({ machines }: Engine, { stdout, clock }: CliWorld, isJson: boolean): Promise<number> {
  const row = async (machine: Machine): Promise<Row> => {
    const entry = machines.entries().find(({ id }) => id === machine.id);
    const told = await describeWithin(machine, clock);
    return {
      id: machine.id,
      kind: machine.kind,
      ...(entry && { place: placeText(entry) }),
      ...('description' in told
        ? { status: 'connected', description: told.description }
        : { status: 'unreachable', why: told.problem }),
    };
  };
  const rows = await Promise.all(machines.list().map(row));
  stdout.write(isJson ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
  return exitCodes.goal;
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ id, kind, place = '', status, description, why }) =>
    [id, kind, place, status, description ?? why ?? ''].map((cell) => cleanText(cell).replace(/\s+/g, ' ')),
  );
  const width = (column: number): number => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(width(column)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

async function add(
  request: Extract<MachineRequest, { action: 'add' }>,
  { machines }: Engine,
  { stdout, cwd, sshAliases }: CliWorld,
): Promise<number> {
  const { id, place, key, auth, workFolder } = request;
  const isThere = machines.entries().some((entry) => entry.id === id);
  const entry: MachineEntry = {
    id,
    kind: 'ssh',
    ...parseMachineSpec(place, await sshAliases()),
    ...(auth !== undefined && { auth }),
    ...(key !== undefined && { keyPath: keyFile(key, cwd) }),
    ...(workFolder !== undefined && { workFolder }),
  };
  await machines.add(entry);
  stdout.write(`${isThere ? 'Replaced' : 'Added'} ${id} (${placeText(entry)}). Try it: helios machine test ${id}\n`);
  return exitCodes.goal;
}

function keyFile(file: string, cwd: string): string {
  const absolute = file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : path.resolve(cwd, file);
  if (existsSync(absolute)) return absolute;
  throw new UserFacing(`There is no key file ${absolute}.`, 'Name the private key, such as --key ~/.ssh/id_ed25519.');
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
