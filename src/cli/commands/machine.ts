import { declareMachineWords } from '../../presentation/machines/machineWords.ts';
import type { CliCommand } from '../command.ts';
import { carryOutRequest, listMachines } from '../machines/machineCommands.ts';

const examples = `
Examples:
  helios machine add lab                lab is a Host of your ~/.ssh/config
  helios machine add gpu1 ada@gpu1:2222 --key ~/.ssh/lab --slots 2 --gpus 0,1
  helios machine add lab ada@login.lab --kind slurm --partition gpu --gpus 1 --time 24h --prologue 'module load cuda'
  helios machine add box --kind container --image python:3.12-slim --mount .:/project --cpus 4 --memory 16G
  helios machine import --all           every host of your ssh config, except patterns and git hosts
  helios machine test gpu1              connect and describe the machine
  helios machine rm gpu1                remove it from the list; changes nothing on the machine`;

export function declareMachine(helios: CliCommand): CliCommand {
  const machine = helios
    .command('machine')
    .summary('manage machines for runs: add, import, test or remove one')
    .addHelpText('after', examples);
  declareMachineWords(machine, (read) =>
    machine.carryOut((context) => carryOutRequest(read, context)),
  );
  declareList(machine, 'list');
  return machine;
}

export const declareMachines = (helios: CliCommand): CliCommand => declareList(helios, 'machines');

const declareList = (parent: CliCommand, name: string): CliCommand =>
  parent
    .command(name)
    .summary('list machines and their status')
    .option('--json', 'print a JSON array: id, kind, place, status, slots, gpuIds, resources, …')
    .runs((context, { json = false }: { readonly json?: boolean }) => listMachines(json, context));
