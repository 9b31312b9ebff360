/** Reads the list of machines of the original Helios, an array in `machines.json`. */
import * as z from 'zod';
import {
  authMethods,
  issueText,
  machineEntrySchema,
  suggestedId,
  type MachineEntry,
} from '../machineEntry.ts';

export interface OriginalMachines {
  readonly entries: readonly MachineEntry[];
  /** Ids of the machines whose password in the list is not imported. */
  readonly withPassword: readonly string[];
  /** Machines that cannot be imported, one line each with the reason. */
  readonly problems: readonly string[];
}

const originalSchema = z.looseObject({
  id: z.string(),
  host: z.string(),
  port: z.number().optional(),
  username: z.string().optional(),
  authMethod: z.enum(authMethods).optional().catch(undefined),
  keyPath: z.string().optional(),
  password: z.unknown().optional(),
});
const defaultPort = 22;

/** Returns whether `value`, the JSON of a `machines.json`, is a list of the original Helios. */
export const isOriginalList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Converts a list. An invalid id is replaced by an id made from the host name. */
export function readOriginalMachines(list: readonly unknown[]): OriginalMachines {
  const entries: MachineEntry[] = [];
  const withPassword: string[] = [];
  const problems: string[] = [];
  for (const [index, value] of list.entries()) {
    const usedIds = entries.map(({ id }) => id);
    const parsed = originalSchema.safeParse(value);
    const converted = parsed.success ? converting(parsed.data, usedIds) : parsed;
    if (!converted.success) {
      const name = nameOf(value) ?? `machine ${index + 1}`;
      problems.push(`${name}: ${issueText(converted.error.issues[0])}`);
      continue;
    }
    entries.push(converted.data);
    if (Boolean(parsed.data?.password)) withPassword.push(converted.data.id);
  }
  return { entries, withPassword, problems };
}

const nameOf = (value: unknown): string | undefined =>
  z.object({ id: z.string().min(1) }).safeParse(value).data?.id;

function converting(
  original: z.output<typeof originalSchema>,
  usedIds: readonly string[],
): z.ZodSafeParseResult<MachineEntry> {
  const { id, host, port, username, authMethod, keyPath, password: _, ...rest } = original;
  const entry = {
    ...rest,
    id,
    kind: 'ssh',
    host,
    ...(port !== undefined && port !== defaultPort && { port }),
    ...(username !== undefined && username !== '' && { user: username }),
    ...(authMethod !== undefined && { auth: authMethod }),
    ...(keyPath !== undefined && keyPath !== '' && { keyPath }),
  };
  const isValidId = !usedIds.includes(id) && machineEntrySchema.safeParse({ ...entry }).success;
  return machineEntrySchema.safeParse(
    isValidId ? entry : { ...entry, id: suggestedId({ host }, usedIds) },
  );
}
