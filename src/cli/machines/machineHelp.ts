/** What `helios machine --help` prints. */
import { optionsOf, type RemoteKind } from '../../presentation/machines/machineOptions.ts';

const titles: Readonly<Record<RemoteKind, string>> = {
  ssh: 'A host that is reached by SSH',
  slurm: 'A Slurm cluster; without a host, this computer is its login host',
  container: 'A container on this computer: the safe place to let an agent loose',
};

const examples = `Usage: helios machine add ID [user@host[:port]] [--kind ssh|slurm|container] [options]
       helios machine rm ID | test ID | import --all | import NAME…
       helios machines [--json]

Examples:
  helios machine add gpu1 ada@gpu1:2222 --key ~/.ssh/lab --slots 2 --gpus 0,1
  helios machine add lab ada@login.lab --kind slurm --partition gpu --gpus 1 --time 24h --prologue 'module load cuda'
  helios machine add box --kind container --image python:3.12-slim --mount .:/project --cpus 4 --memory 16G
  helios machine import --all           every host of your ssh config, but not patterns and those of git
  helios machine test gpu1              connects, and says what was found
  helios machine rm gpu1                takes it off the list; nothing on it is touched
  helios machines --json                an array: id, kind, place, status, slots, gpuIds, resources, …

`;

export const machineHelp = (): string =>
  examples +
  (['ssh', 'slurm', 'container'] as const)
    .map((kind) => `${titles[kind]} (--kind ${kind}):\n${optionLines(kind)}`)
    .join('\n') +
  `
TIME is 90m, 24h or 2d, or as Slurm writes it, 1-12:00:00. Memory is 16G or 512M.
  --home FOLDER            where machines.json is (default: HELIOS_HOME, or ~/.helios)
`;

const optionLines = (kind: RemoteKind): string =>
  optionsOf(kind)
    .map(({ name, value, about }) => `  ${`--${name}${value === undefined ? '' : ` ${value}`}`.padEnd(24)} ${about}\n`)
    .join('');
