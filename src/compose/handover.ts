/**
 * What a window leaves to the background process, which goes on with its sessions once the window
 * is gone. One JSON line.
 */
import path from 'node:path';
import * as z from 'zod';
import { UserFacing } from '../base/errors.ts';
import { isSessionId } from '../base/ids.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';

const handover = z.object({
  /** The home folder. */
  home: z.string().refine((folder) => path.isAbsolute(folder), 'must be absolute'),
  /** The folder that holds the WebAssembly of the index. */
  assetsFolder: z.string().refine((folder) => path.isAbsolute(folder), 'must be absolute'),
  /** As the window reads them; what they hold is checked where it is used, as in the window. */
  settings: z.custom<EngineSettings>(
    (value) => typeof value === 'object' && value !== null,
    'must be an object',
  ),
  /** By the engine's names. */
  secrets: z.record(z.string(), z.string()),
  /** Kept answers to the questions of machines, as `MachineSecrets` keeps them. */
  machineSecrets: z.record(z.string(), z.string()),
  sessions: z.array(z.string().refine(isSessionId, 'must be ids of sessions')),
  /** How long the next window is waited for before the sessions are taken up. */
  graceMs: z.number().min(0),
});

export type Handover = Readonly<z.infer<typeof handover>>;

/** Throws `UserFacing` that names what is wrong, and never a value. */
export function parseHandover(text: string): Handover {
  const { data, error } = handover.safeParse(jsonOf(text));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new UserFacing(
    `What the window left is not understood: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is wrong'}.`,
    'Open the folder in VS Code: its sessions go on there.',
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
