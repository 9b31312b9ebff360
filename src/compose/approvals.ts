/** What the user approved for working folders, and for always. */
import { ApprovalFile } from '../permissions/grants/approvalFile.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { homeAt } from '../storage/home.ts';

/** Returns the approvals that are stored in a home folder of Helios. */
export const approvalsAt = (home: string): ApprovalFile =>
  new ApprovalFile({
    file: homeAt(home).approvalsFile,
    write: (file, text) => writeFileAtomic(file, text, 0o600),
  });
