/** `helios approvals`: lists what the user approved beyond one session, and revokes it. */
import { UserFacing } from '../../base/errors.ts';
import { approvalsAt, storedApprovals, type ApprovalRow } from '../../compose/approvals.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { exitCodes } from '../cliDeps.ts';
import { lineForTerminal, visibleText } from '../screen/terminalText.ts';

interface ApprovalsOptions {
  readonly revoke?: string;
  readonly json?: boolean;
}

export const declareApprovals = (helios: CliCommand): CliCommand =>
  helios
    .command('approvals')
    .summary('list and revoke approvals for folders, and approvals that always apply')
    .description(
      'Lists the approvals that you gave in sessions: for a working folder, or to always apply. ' +
        'Approvals for a session end with the session.',
    )
    .option('--revoke <id>', 'revoke the approval with this id')
    .option('--json', 'print a JSON array: id, scope, workspace, covers')
    .runs(approvals);

async function approvals(
  { deps, home }: CommandContext,
  { revoke, json = false }: ApprovalsOptions,
): Promise<number> {
  if (revoke !== undefined && (await approvalsAt(home).revoke(revoke)) === undefined)
    throw new UserFacing(`There is no approval ${revoke}.`, 'List them with helios approvals.');
  const rows = await storedApprovals(home);
  if (json) deps.stdout.write(`${visibleText(JSON.stringify(rows, undefined, 2))}\n`);
  else if (revoke !== undefined) deps.stdout.write(`Revoked ${lineForTerminal(revoke)}.\n`);
  else deps.stdout.write(rows.length === 0 ? 'Nothing is approved.\n' : rows.map(lineOf).join(''));
  return exitCodes.goal;
}

const lineOf = ({ id, workspace, covers }: ApprovalRow): string =>
  `${lineForTerminal(`${id}  ${covers}${workspace === undefined ? ' (always)' : ` (in workspace ${workspace})`}`)}\n`;
