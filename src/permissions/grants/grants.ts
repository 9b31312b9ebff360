/**
 * The consents of the user beyond one call, as the gate uses them. Those of the session are in its
 * journal, the others in the file of the user.
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

/** What the user is offered beyond one call. */
export interface Offer {
  /** The scopes that may be chosen, narrowest first; none if the call is asked about each time. */
  readonly scopes: readonly Scope[];
  /** A few words for a button: `pip install`. Empty without a scope. */
  readonly label: string;
  /** Everything that the consent covers, one sentence part each. */
  readonly covers: readonly string[];
  /** Sentence that says why stored consents do not count now. */
  readonly problem?: string;
}

/** What the user may consent to, because earlier consents do not cover a call. */
export interface Uncovered {
  readonly isCovered: false;
  readonly offer: Offer;
  /** Stores the consent; resolves with what is stored. Rejects if it cannot be stored. */
  remember(scope: Scope): Promise<readonly Approval[]>;
}

export type Coverage = { readonly isCovered: true; readonly why: string } | Uncovered;

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
    const [needs, stored, workspace] = await Promise.all([
      callNeeds(call, options.folderOf),
      storedIn(options.file),
      options.workspace(),
    ]);
    const all = [...options.ofSession(), ...stored.approvals];
    const missing = needs?.filter((need) => !all.some((each) => fits(each, need, workspace)));
    if (missing?.length === 0)
      return {
        isCovered: true,
        why: `the user allowed ${labelsOf(needs ?? []).join(', ')} before`,
      };
    return {
      isCovered: false,
      offer: offerOf(missing ?? [], stored.problem),
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

/** The gate without any consents: each call is asked about. */
export const noGrants: Grants = {
  cover: () =>
    Promise.resolve({ isCovered: false, offer: offerOf([]), remember: () => Promise.resolve([]) }),
};

async function storedIn(
  file: GrantsOptions['file'],
): Promise<{ readonly approvals: readonly Approval[]; readonly problem?: string }> {
  try {
    return { approvals: await file.list() };
  } catch (error) {
    return { approvals: [], problem: adviceOf(error) };
  }
}

function offerOf(missing: readonly Need[], problem?: string): Offer {
  const offered = scopes.filter(
    (scope) =>
      missing.length > 0 &&
      missing.every((need) => isWithinScope(scope, need)) &&
      (problem === undefined || scope === 'session'),
  );
  return {
    scopes: offered,
    label: markHidden(labelsOf(missing).join(', ')),
    covers: missing.map(({ grant }) => markHidden(grantText(grant))),
    ...(problem !== undefined && { problem }),
  };
}

const labelsOf = (needs: readonly Need[]): readonly string[] => [
  ...new Set(needs.map(({ grant }) => grantLabel(grant))),
];
