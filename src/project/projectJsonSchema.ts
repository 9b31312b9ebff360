/**
 * The JSON schema of `helios.json`, for completion and hints in an editor. Generated from the
 * schema that checks the file.
 */
import * as z from 'zod';
import { projectSchema } from './projectSchema.ts';

/** Returns the schema, which the build writes to `dist/project.schema.json`. */
export const projectJsonSchema = (): object => ({
  ...z.toJSONSchema(projectSchema, { target: 'draft-7', io: 'input' }),
  title: 'Helios project',
  // `allowComments` is an extension of JSON Schema by VS Code.
  allowComments: true,
});
