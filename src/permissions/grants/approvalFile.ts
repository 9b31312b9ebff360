/**
 * Stores the consents that apply to a working folder or everywhere, in `approvals.json` in the home
 * folder of Helios. Reads the file for each use, so that a consent revoked in another process is no
 * longer used.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import { approvalId, type Approval } from './grant.ts';

const text = z.string().min(1);
const grantSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('command'),
    machineId: text,
    folder: text,
    words: z.array(z.string()),
    script: text.optional(),
  }),
  z.strictObject({ kind: z.literal('write'), machineId: text, folder: text }),
  z.strictObject({ kind: z.literal('host'), host: text }),
]);
const approvalSchema = z.discriminatedUnion('scope', [
  z.strictObject({ scope: z.literal('workspace'), workspace: text, grant: grantSchema }),
  z.strictObject({ scope: z.literal('always'), grant: grantSchema }),
]);
const fileSchema = z.looseObject({ version: z.literal(1), approvals: z.array(approvalSchema) });

export interface ApprovalFileOptions {
  /** Absolute path of `approvals.json`. */
  readonly file: string;
  /** Replaces the file atomically; only the user can access it. */
  write(file: string, text: string): Promise<void>;
  /** Runs a change of the file while no other process changes it. */
  exclusively(file: string, change: () => Promise<void>): Promise<void>;
}

export class ApprovalFile {
  readonly #options: ApprovalFileOptions;

  constructor(options: ApprovalFileOptions) {
    this.#options = options;
  }

  /** Resolves with all consents. Rejects with `UserFacing` if the file cannot be used. */
  async list(): Promise<readonly Approval[]> {
    return (await this.#read()).approvals;
  }

  /** Adds consents. Rejects with `UserFacing` if the file cannot be used; it is then unchanged. */
  async add(additions: readonly Approval[]): Promise<void> {
    const ids = new Set(additions.map(approvalId));
    await this.#change((approvals) => [
      ...approvals.filter((each) => !ids.has(approvalId(each))),
      ...additions,
    ]);
  }

  /**
   * Removes a consent and resolves with it; with `undefined` if no consent has this id. Rejects
   * with `UserFacing` if the file cannot be used.
   */
  async revoke(id: string): Promise<Approval | undefined> {
    const approval = (await this.list()).find((each) => approvalId(each) === id);
    if (approval !== undefined)
      await this.#change((approvals) => approvals.filter((each) => approvalId(each) !== id));
    return approval;
  }

  #change(change: (approvals: readonly Approval[]) => readonly Approval[]): Promise<void> {
    const { file, write, exclusively } = this.#options;
    return exclusively(file, async () => {
      const content = await this.#read();
      const approvals = change(content.approvals);
      await write(file, `${JSON.stringify({ ...content, approvals }, undefined, 2)}\n`);
    });
  }

  async #read(): Promise<z.output<typeof fileSchema>> {
    const { file } = this.#options;
    try {
      return fileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { version: 1, approvals: [] };
      const [issue] = error instanceof z.ZodError ? error.issues : [];
      const place = issue === undefined ? '' : `${issue.path.join('.')}: `;
      throw new UserFacing(
        `${file} cannot be read (${place}${issue?.message ?? messageOf(error)}), so stored approvals are ignored.`,
        'Correct the file, or delete it to begin anew.',
      );
    }
  }
}
