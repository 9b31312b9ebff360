/**
 * The message of a window to the background process, which continues its sessions once the window
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
  /** The folder with the WebAssembly of the index. */
  assetsFolder: z.string().refine((folder) => path.isAbsolute(folder), 'must be absolute'),
  /** The settings of the window. Their values are checked where they are used, as in the window. */
  settings: z.custom<EngineSettings>(
    (value) => typeof value === 'object' && value !== null,
    'must be an object',
  ),
  /** By the names that the engine uses. */
  secrets: z.record(z.string(), z.string()),
  /** Stored answers to questions of machines, in the format of `MachineSecrets`. */
  machineSecrets: z.record(z.string(), z.string()),
  sessions: z.array(z.string().refine(isSessionId, 'must be ids of sessions')),
  /** Time to wait for the next window before the sessions are resumed. */
  graceMs: z.number().min(0),
});

export type Handover = Readonly<z.infer<typeof handover>>;

/** Parses the line. Throws `UserFacing` that names the invalid fields, never their values. */
export function parseHandover(text: string): Handover {
  const { data, error } = handover.safeParse(jsonOf(text));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new UserFacing(
    `The message of the window is invalid: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is wrong'}.`,
    'Open the folder in VS Code: its sessions resume there.',
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
