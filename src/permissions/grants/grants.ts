/**
 * Provides the gate with the consents that the user gave beyond single calls. Consents for the
 * session are in its journal, the others in a file (`approvalFile.ts`).
 */
import { adviceOf } from '../../base/errors.ts';
import { markHidden } from '../../base/hiddenCharacters.ts';
import type { ApprovalFile } from './approvalFile.ts';
import { callNeeds, type FolderOf, type NeedyCall } from './callNeeds.ts';
import {
  fits,
  grantLabel,
  grantText,
  isWithinScope,
  scopes,
  type Approval,
  type Need,
  type Scope,
} from './grant.ts';

/** The consents beyond a single call that are offered to the user. */
export interface Offer {
  /**
   * The scopes that the user can choose, narrowest first; empty if the user is asked about each
   * call.
   */
  readonly scopes: readonly Scope[];
  /** A few words for a button: `pip install`. Empty if there are no scopes. */
  readonly label: string;
  /** The calls that the consent covers, each as a part of a sentence. */
  readonly covers: readonly string[];
  /** Sentence that says why stored consents cannot be used now. */
  readonly problem?: string;
}

/** The result of a check if the earlier consents do not cover the call. */
export interface CoverageGap {
  readonly isCovered: false;
  readonly offer: Offer;
  /** Stores the consent and resolves with the stored approvals. Rejects if it cannot be stored. */
  remember(scope: Scope): Promise<readonly Approval[]>;
}

export type Coverage = { readonly isCovered: true; readonly why: string } | CoverageGap;

export interface Grants {
  /** Never rejects. */
  cover(call: NeedyCall): Promise<Coverage>;
}

export interface GrantsOptions {
  readonly file: Pick<ApprovalFile, 'list' | 'add'>;
  /** Resolves with the real path of the working folder of the session. */
  workspace(): Promise<string>;
  readonly folderOf: FolderOf;
  /** Returns the consents of the session. */
  ofSession(): readonly Approval[];
  /** Tools that the user allowed as a whole; only in journals of older versions. */
  readonly allowedTools?: readonly string[];
}

export const createGrants = (options: GrantsOptions): Grants => ({
  async cover(call) {
    const { approvedAs: tool = call.tool } = call;
    if (options.allowedTools?.includes(tool) === true)
      return { isCovered: true, why: `${tool} was allowed for this session` };
    const [needs, file, workspace] = await Promise.all([
      callNeeds(call, options.folderOf),
      readApprovals(options.file),
      options.workspace(),
    ]);
    const all = [...options.ofSession(), ...file.approvals];
    const missing = needs?.filter((need) => !all.some((each) => fits(each, need, workspace)));
    if (missing?.length === 0)
      return {
        isCovered: true,
        why: `the user allowed ${labelsOf(needs ?? []).join(', ')} before`,
      };
    return {
      isCovered: false,
      offer: offerOf(missing ?? [], file.problem),
      async remember(scope) {
        const approvals = (missing ?? []).map(({ grant }) => ({
          scope,
          ...(scope === 'workspace' && { workspace }),
          grant,
        }));
        if (scope !== 'session') await options.file.add(approvals);
        return approvals;
      },
    };
  },
});

/** Consents that cover nothing: the user is asked about each call. */
export const noGrants: Grants = {
  cover: () =>
    Promise.resolve({ isCovered: false, offer: offerOf([]), remember: () => Promise.resolve([]) }),
};

async function readApprovals(
  file: GrantsOptions['file'],
): Promise<{ readonly approvals: readonly Approval[]; readonly problem?: string }> {
  try {
    return { approvals: await file.list() };
  } catch (error) {
    return { approvals: [], problem: adviceOf(error) };
  }
}

function offerOf(missing: readonly Need[], problem?: string): Offer {
  const choices = scopes.filter(
    (scope) =>
      missing.length > 0 &&
      missing.every((need) => isWithinScope(scope, need)) &&
      (problem === undefined || scope === 'session'),
  );
  return {
    scopes: choices,
    label: markHidden(labelsOf(missing).join(', ')),
    covers: missing.map(({ grant }) => markHidden(grantText(grant))),
    ...(problem !== undefined && { problem }),
  };
}

const labelsOf = (needs: readonly Need[]): readonly string[] => [
  ...new Set(needs.map(({ grant }) => grantLabel(grant))),
];
