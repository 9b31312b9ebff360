/** The approvals of the user that apply to a working folder or everywhere. */
import { ApprovalFile } from '../permissions/grants/approvalFile.ts';
import { approvalId, grantText, type Scope } from '../permissions/grants/grant.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { exclusively } from '../storage/exclusively.ts';
import { homeAt } from '../storage/home.ts';

/** Returns the approvals that are stored in a home folder of Helios. */
export const approvalsAt = (home: string): ApprovalFile =>
  new ApprovalFile({
    file: homeAt(home).approvalsFile,
    write: (file, text) => writeFileAtomic(file, text, 0o600),
    exclusively,
  });

/** A stored approval, formatted for a list. */
export interface ApprovalRow {
  readonly id: string;
  readonly scope: Scope;
  /**
   * Real path of the working folder to which the approval applies; omitted if it applies
   * everywhere.
   */
  readonly workspace?: string | undefined;
  /** Everything that the approval covers, as text. */
  readonly covers: string;
}

/** Resolves with the stored approvals, oldest first. Rejects as `ApprovalFile.list` does. */
export const storedApprovals = async (home: string): Promise<readonly ApprovalRow[]> =>
  (await approvalsAt(home).list()).map((approval) => {
    const { scope, workspace, grant } = approval;
    return { id: approvalId(approval), scope, workspace, covers: grantText(grant, scope) };
  });
