/** Texts for a workspace that the user does not trust. */
import { UserFacing } from '../../base/errors.ts';

export const trustText =
  'Helios runs commands and edits files, so it starts only in a folder that you trust.';

export const manageTrust = {
  command: 'workbench.trust.manage',
  title: 'Manage Workspace Trust',
} as const;

export const notTrusted = (): UserFacing =>
  new UserFacing(trustText, 'Run “Workspaces: Manage Workspace Trust”.', 'not_trusted');
