/**
 * `helios.json` as a JSON schema, for completion and hints in an editor. Made from what the file is
 * checked with.
 */
import * as z from 'zod';
import { projectSchema } from './projectSchema.ts';

/** Built into `dist/project.schema.json`. */
export const projectJsonSchema = (): object => ({
  ...z.toJSONSchema(projectSchema, { target: 'draft-7', io: 'input' }),
  title: 'A project of Helios',
  // A word of VS Code.
  allowComments: true,
});
