/**
 * The message by which a window tells the background process which sessions to continue after the
 * window is closed. One line of JSON.
 */
import path from 'node:path';
import * as z from 'zod';
import { UserFacing } from '../base/errors.ts';
import { isSessionId } from '../base/ids.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';

const handover = z.object({
  /** Path of the home folder. */
  home: z.string().refine((folder) => path.isAbsolute(folder), 'must be absolute'),
  /** Path of the folder with the WebAssembly file of the search index. */
  assetsFolder: z.string().refine((folder) => path.isAbsolute(folder), 'must be absolute'),
  /** Settings of the window. Their values are validated where they are used, as in the window. */
  settings: z.custom<EngineSettings>(
    (value) => typeof value === 'object' && value !== null,
    'must be an object',
  ),
  /** API keys and sign-ins, by the names under which the engine looks them up. */
  secrets: z.record(z.string(), z.string()),
  /**
   * Stored passwords and passphrases of machines, by their keys in the vault of `MachineSecrets`.
   */
  machineSecrets: z.record(z.string(), z.string()),
  /** Python interpreters that the user has selected, by the folders in which sessions work. */
  interpreters: z.record(z.string(), z.string()).optional(),
  sessions: z.array(z.string().refine(isSessionId, 'must be ids of sessions')),
  /**
   * Time in milliseconds to wait for a new window to resume the sessions, before the background
   * process resumes them.
   */
  graceMs: z.number().min(0),
});

export type Handover = Readonly<z.infer<typeof handover>>;

/**
 * Parses the message that a window sends to the background process, one line of JSON. Throws a `UserFacing` error that names the invalid fields but never shows their
 * values.
 */
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
