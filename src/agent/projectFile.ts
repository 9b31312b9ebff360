/** `helios.json`: what a project says about itself, found in the work folder or above it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { codeOf, UserFacing } from '../base/errors.ts';

const projectSchema = z.looseObject({
  provider: z.string().optional(),
  model: z.string().optional(),
  instructions: z.string().optional(),
});

export interface ProjectFile {
  readonly file: string;
  readonly provider?: string;
  readonly model?: string;
  readonly instructions?: string;
}

/** The nearest `helios.json` upwards, or undefined. Throws `UserFacing` when it cannot be understood: never ignored silently. */
export async function readProjectFile(folder: string): Promise<ProjectFile | undefined> {
  for (let current = folder; ; current = path.dirname(current)) {
    const file = path.join(current, 'helios.json');
    const text = await readIfThere(file);
    if (text !== undefined) return parseProject(file, text);
    if (path.dirname(current) === current) return undefined;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

function parseProject(file: string, text: string): ProjectFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserFacing(`${file} is not valid JSON: ${String(error)}`, 'Mend the file, then start again.');
  }
  const parsed = projectSchema.safeParse(value);
  if (!parsed.success)
    throw new UserFacing(`${file} does not fit:\n${z.prettifyError(parsed.error)}`, 'Mend the file, then start again.');
  const { provider, model, instructions } = parsed.data;
  return {
    file,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { instructions }),
  };
}
