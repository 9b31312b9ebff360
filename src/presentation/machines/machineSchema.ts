/**
 * JSON schema of `machines.json`, for completion and hints in an editor. Derived from the schema
 * that validates the file.
 */
import * as z from 'zod';
import { localEntrySchema, machineEntrySchema, remoteKinds } from '../../machines/machineEntry.ts';
import { machineOptions, type RemoteKind } from './machineOptions.ts';

interface ObjectSchema {
  properties: Record<string, { const?: string; description?: string }>;
}

type Kind = RemoteKind | 'local';
const kinds: readonly Kind[] = [...remoteKinds, 'local'];

/** Returns the JSON schema, which the build writes to `dist/machines.schema.json`. */
export function machinesJsonSchema(): object {
  const options = { target: 'draft-7', io: 'input' } as const;
  const { oneOf = [] } = z.toJSONSchema(machineEntrySchema, options) as { oneOf?: ObjectSchema[] };
  const local = z.toJSONSchema(localEntrySchema, options) as unknown as ObjectSchema;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Helios machines',
    // `allowComments` is specific to VS Code.
    allowComments: true,
    type: 'object',
    required: ['version', 'machines'],
    properties: {
      version: { const: 1 },
      machines: {
        type: 'array',
        description:
          'Machines for runs, in addition to this computer, and settings of this computer under the id local. Passwords are never stored in this file.',
        items: {
          type: 'object',
          required: ['id', 'kind'],
          properties: { kind: { enum: kinds, description: fieldText('kind', 'ssh') } },
          // A condition per kind of machine, so that an editor suggests only the fields of that
          // kind.
          allOf: [...oneOf, local].map((schema) => {
            const kind = schema.properties['kind']?.const as Kind;
            return {
              if: { properties: { kind: { const: kind } }, required: ['kind'] },
              then: { ...schema, properties: described(schema, kind) },
            };
          }),
          defaultSnippets: snippets,
        },
      },
    },
  };
}

const described = ({ properties }: ObjectSchema, kind: Kind): ObjectSchema['properties'] =>
  Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [
      field,
      { ...schema, description: fieldText(field, kind) },
    ]),
  );

/**
 * Returns the description of a field: its text in `ownTexts`, otherwise the description of the
 * command-line option for this field.
 */
function fieldText(field: string, kind: Kind): string {
  const text = ownTexts[field] ?? optionFor(field, kind)?.about;
  if (text === undefined)
    throw new Error(`The field ${field} of the kind ${kind} has no description.`);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const optionFor = (field: string, kind: Kind) =>
  machineOptions.find(
    (option) => option.field === field && option.kinds.some((one) => one === kind),
  );

const ownTexts: Readonly<Record<string, string>> = {
  id: 'id of the machine',
  kind: 'how its runs are started: by SSH, as Slurm jobs, in a container of this computer, or on this computer itself',
  host: 'host name or address; fields that are not set are taken from the SSH config',
  alias: 'a host of the SSH config, instead of host',
  port: 'port; default: as in the SSH config, otherwise 22',
  user: 'user name; default: as in the ssh config, or in the image',
  auth: 'how to log in; default: as in the ssh config',
  timeLimitMinutes:
    'default time limit of a job; if not set, the time limit of the partition applies',
  flags: 'additional arguments of sbatch, such as --constraint=a100',
  prologue:
    'shell lines before the command of every run and foreground command, such as module load cuda; each must succeed',
  env: 'variables of every run and foreground command, with their literal values',
  passEnvironment:
    'variables of this computer that runs on the machine get, such as WANDB_API_KEY or AWS_*; keys of models are never passed',
  confinement:
    'how commands and runs are confined: required, folders to write, and network (all, none, or a list of hosts)',
  mounts: 'mounted folders of this computer',
};

const snippets = [
  {
    label: 'An SSH host',
    body: { id: '${1:gpu1}', kind: 'ssh', host: '${2:gpu1.lab}', user: '${3:ada}' },
  },
  {
    label: 'A Slurm cluster',
    body: { id: '${1:cluster}', kind: 'slurm', host: '${2:login.lab}', partition: '${3:gpu}' },
  },
  {
    label: 'A container',
    body: { id: '${1:box}', kind: 'container', image: '${2:python:3.12-slim}', network: 'none' },
  },
  {
    label: 'Settings of this computer',
    body: { id: 'local', kind: 'local', prologue: ['${1:source ~/venv/bin/activate}'] },
  },
];
