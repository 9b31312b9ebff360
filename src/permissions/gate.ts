/**
 * Gate that allows or refuses every tool call before the call has any effect. Fails closed: a call
 * that needs an approval and gets none is refused.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { markHidden } from '../base/hiddenCharacters.ts';
import { linkNote, type Access, type CommandAccess } from './access.ts';
import { reasonNotes } from './commands/verdicts/reasonNotes.ts';
import type { Verdict } from './commands/verdicts/verdict.ts';
import {
  composedNotes,
  composedReason,
  isComposed,
  markComposed,
  reachesAllowedHosts,
  type WebSources,
} from './composedUrl.ts';
import type { Approval, Scope } from './grants/grant.ts';
import { noGrants, type Grants, type Offer, type CoverageGap } from './grants/grants.ts';
import { Patience } from './patience.ts';
import { pathUse } from './pathRule.ts';
import { pathNote, usualPaths, type PathRules } from './pathRules.ts';
import type { PermissionMode } from './mode.ts';

export interface GateCall {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly effect: 'read' | 'write' | 'execute' | 'network';
  readonly accesses: readonly Access[];
  /** True if the call changes only data that Helios stores for the agent. */
  readonly isOwnData: boolean;
  /** Name of the tool whose approval in an old journal also allows this call. Default: `tool`. */
  readonly approvedAs?: string;
  /** Set by the gate: what the user may approve beyond this call. */
  readonly offer?: Offer;
  /** Everything that the call does, as text for the user. */
  readonly detail: string;
  /**
   * Descriptions of the repairs that Helios made to a malformed call. A repaired call may differ
   * from what the model meant.
   */
  readonly repairs?: readonly string[];
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly by: 'mode' | 'person' | 'rule' | 'mandate';
  readonly why: string;
  /** Approvals beyond the call that the user gave with this answer. */
  readonly grants?: readonly Approval[];
  /** Advice to the agent, as sentences. Omitted if there is no special advice. */
  readonly advice?: string;
  /** See `Foreseen.isObstacle`. */
  readonly isObstacle?: true;
  /** True if the refused call waits in the inbox: the user can allow it for the next time. */
  readonly isQueued?: true;
  /** The accesses of the call. Each access by a command includes its verdict. */
  readonly accesses: readonly Access[];
}

/**
 * The user's answer. `allow_SCOPE` also approves later calls; if the scope was not offered, only
 * this call is allowed.
 */
export type Answer = 'allow' | `allow_${Scope}` | 'deny';

/**
 * Asks the user to approve a call. Rejects if no user can be asked. Once the signal is aborted, the
 * answer is ignored.
 */
export type Ask = (call: GateCall, signal: AbortSignal) => Promise<Answer>;

/**
 * Mode of the gate: `ask` asks the user, `allow` allows all calls, `mandate` allows the calls that
 * the mandate covers and refuses others without asking, `read` allows only reading.
 */
export type GateMode = PermissionMode | 'read';

/** The calls that were refused because nobody could be asked. */
export interface RefusedCalls {
  /**
   * Returns the user's answer about an earlier call that did the same; `undefined` if there is
   * none.
   */
  answerTo(call: GateCall): 'allow' | 'deny' | undefined;
  /** Puts a call into the inbox, once. Resolves with false if the call cannot be put there. */
  add(call: GateCall, why: string): Promise<boolean>;
}

/**
 * A refusal that is certain before the user is asked: the call could not run whatever the answer.
 */
export interface Forecast {
  /** The reason, as the rest of a sentence. */
  readonly why: string;
  /** The alternatives of the agent, as sentences. */
  readonly advice: string;
  /** True if the call cannot be made now, and may be made later without an approval. */
  readonly isObstacle?: true;
}

export interface GateOptions {
  mode(): GateMode;
  readonly ask: Ask;
  readonly clock: Clock;
  /** Resolves with the verdict on a command. Never rejects. */
  judge(access: CommandAccess): Promise<Verdict>;
  /**
   * Resolves with the reason why the mandate does not cover a call, as the rest of a sentence (`it
   * writes /etc/hosts`); `undefined` if it covers the call. Without this function, no call is
   * covered.
   */
  outside?(call: GateCall): Promise<string | undefined>;
  /**
   * Resolves with why the call would fail or be refused when it runs; `undefined` if no such reason
   * is known. Called before the user is asked, and before the call is put into the inbox. Never
   * rejects.
   */
  forecast?(call: GateCall): Promise<Forecast | undefined>;
  /** The refused calls that wait in the inbox. Omitted: there is no inbox. */
  readonly refused?: RefusedCalls;
  /** Calls the listener whenever the user does something. Omitted: never. */
  onUserActed?(listener: () => void): void;
  /**
   * What the user approved before. Default: nothing, and the user can approve only single calls.
   */
  readonly grants?: Grants;
  /** The rules on paths. Default: those for the usual home folder of Helios. */
  readonly paths?: PathRules;
  /**
   * Web addresses of the session. Default: no URL is treated as composed, and no host is allowed.
   */
  readonly web?: WebSources;
}

export interface Gate {
  decide(call: GateCall, signal: AbortSignal): Promise<Decision>;
  /** Resolves with true if the call would be allowed without a question to the user. */
  allows(call: GateCall): Promise<boolean>;
}

/**
 * Time for which the gate waits for the user's answer about an unclear call. It is shorter than for
 * other calls, because the model can send the call again in clear words.
 */
const unclearAnswerWithinMs = 60_000;

/**
 * Creates the gate. Reading, commands that only read, and changes of the agent's own notes are
 * always allowed; commands and uses of paths that no mode allows are always refused.
 * - `allow`: allows all other calls.
 * - `ask`: asks about all other calls. The user allows a single call, or also later calls that need
 *   the same consents.
 * - `mandate`: allows what the mandate covers, and refuses all other calls.
 * - `read`: refuses all other calls, also commands that only read.
 * - Except in mode `read`, what the user approved before is allowed.
 * - Except in mode `read`, these calls need an approval, and are refused in mode `mandate`: a
 *   repaired call, a write through a link out of the working folder, a use of a path that the rules
 *   name, and a URL that the model composed after it had read text by others.
 * - Except in mode `read`, hosts that the user allows need no approval.
 */
export function createGate(options: GateOptions): Gate {
  const patience = new Patience(options.clock);
  options.onUserActed?.(() => patience.renew());
  return {
    async decide(call, signal) {
      const accesses = markComposed(await withVerdicts(call.accesses, options), options.web);
      const notes = [...pathNotes(accesses), ...composedNotes(accesses), ...reasonNotes(accesses)];
      const detail = [...notes, call.detail].join('\n');
      const question = { ...call, accesses, detail };
      const decision = await decide(question, { ...options, patience }, signal);
      return { ...decision, accesses };
    },
    async allows(call) {
      const { refused: _refused, forecast: _forecast, ...rest } = options;
      const accesses = markComposed(await withVerdicts(call.accesses, options), options.web);
      const rules = { ...rest, patience: nobodyAnswers };
      return (await decide({ ...call, accesses }, rules, AbortSignal.abort())).isAllowed;
    },
  };
}

const nobodyAnswers: Pick<Patience, 'answer'> = { answer: () => Promise.resolve('nobody') };

/**
 * Returns the accesses with the verdict on each command. In mode `read`, which runs no commands,
 * they are not judged.
 */
const withVerdicts = async (
  accesses: readonly Access[],
  { judge, mode }: GateOptions,
): Promise<readonly Access[]> =>
  mode() === 'read'
    ? accesses
    : Promise.all(
        accesses.map(async (access) =>
          access.kind === 'command' ? { ...access, verdict: await judge(access) } : access,
        ),
      );

/**
 * Returns a line for each path that commands may use only with an approval, to be shown to the
 * user.
 */
const pathNotes = (accesses: readonly Access[]): readonly string[] =>
  accesses.flatMap((access) => {
    const note = access.kind === 'command' ? access.verdict?.pathNote : undefined;
    return note === undefined ? [] : [`${markHidden(note).replaceAll('\n', '⟨U+000A⟩')}.`];
  });

/** Puts a call into the inbox, which was refused because nobody could be asked. */
async function queue(
  ruling: Ruling,
  call: GateCall,
  { refused }: Pick<GateOptions, 'refused'>,
): Promise<Ruling> {
  const isQueued = (await refused?.add(call, ruling.why)) === true;
  return isQueued ? { ...ruling, isQueued } : ruling;
}

type Ruling = Omit<Decision, 'accesses'>;

interface Rules extends GateOptions {
  readonly patience: Pick<Patience, 'answer'>;
}

async function decide(call: GateCall, rules: Rules, signal: AbortSignal): Promise<Ruling> {
  const { mode, grants = noGrants, refused, paths = usualPaths } = rules;
  const ruling = rulingOf(call, mode(), rules);
  if (ruling !== undefined) return ruling;
  const earlier = refused?.answerTo(call);
  if (earlier !== undefined) return rulings[earlier];
  if (isUnclear(call) || asksForPath(call, paths)) return decideUnclear(call, rules, signal);
  if (mode() === 'allow') return { isAllowed: true, by: 'mode', why: 'permission mode is allow' };
  const coverage = await grants.cover(call);
  if (coverage.isCovered) return { isAllowed: true, by: 'person', why: coverage.why };
  return mode() === 'mandate' ? byMandate(call, rules) : askFor(call, { rules, coverage }, signal);
}

/** Asks the user about a call, and stores what the user approves beyond this call. */
async function askFor(
  call: GateCall,
  { rules, coverage }: { readonly rules: Rules; readonly coverage: CoverageGap },
  signal: AbortSignal,
): Promise<Ruling> {
  const { ask, patience } = rules;
  const forecast = await foreseenRefusal(call, rules);
  if (forecast !== undefined) return forecast;
  const { offer } = coverage;
  const detail = offer.problem === undefined ? call.detail : `${offer.problem}\n${call.detail}`;
  const question = { ...call, detail, offer };
  const answer = await patience.answer({ ask: (late) => ask(question, late) }, signal);
  if (answer === 'nobody') return queue(rulings.nobody, call, rules);
  const scope = offer.scopes.find((each) => answer === `allow_${each}`);
  if (scope === undefined) return rulings[answer];
  try {
    const grants = await coverage.remember(scope);
    return { ...userAllows, why: `${userAllows.why}, ${scopeTexts[scope]}`, grants };
  } catch (error) {
    return { ...userAllows, why: `${userAllows.why}, this once: ${messageOf(error)}` };
  }
}

/** Decides on a call that needs an approval in every mode. */
async function decideUnclear(call: GateCall, rules: Rules, signal: AbortSignal): Promise<Ruling> {
  const { mode, ask, patience, paths = usualPaths } = rules;
  const forecast = await foreseenRefusal(call, rules);
  if (forecast !== undefined) return forecast;
  const reason = unclearReason(call, paths);
  if (mode() === 'mandate') return queue(outsideMandate(reason), call, rules);
  const limitMs = isUnclear(call) ? unclearAnswerWithinMs : undefined;
  const answer = await patience.answer({ ask: (late) => ask(call, late), limitMs }, signal);
  const isNamed = asksForPath(call, paths) || isComposed(call.accesses);
  const why = `${isNamed ? `${reason}: ` : ''}${rulings.nobody.why}`;
  return answer === 'nobody' ? queue({ ...rulings.nobody, why }, call, rules) : rulings[answer];
}

async function byMandate(call: GateCall, rules: Rules): Promise<Ruling> {
  const { outside = () => Promise.resolve('no mandate is in force') } = rules;
  const reason = await outside(call);
  return reason === undefined
    ? { isAllowed: true, by: 'mandate', why: 'the mandate covers it' }
    : ((await foreseenRefusal(call, rules)) ?? queue(outsideMandate(reason), call, rules));
}

const foreseenRefusal = async (
  call: GateCall,
  { forecast }: Pick<GateOptions, 'forecast'>,
): Promise<Ruling | undefined> => {
  const refusal = await forecast?.(call);
  return refusal && { isAllowed: false, by: 'rule', ...refusal };
};

const outsideMandate = (reason: string): Ruling => ({
  isAllowed: false,
  by: 'mandate',
  why: `outside the mandate: ${reason}`,
});

/**
 * Returns the ruling on a call for which neither the user's answer nor the mode `allow` matters;
 * `undefined` for other calls.
 */
function rulingOf(
  call: GateCall,
  mode: GateMode,
  { paths = usualPaths, web }: Pick<GateOptions, 'paths' | 'web'>,
): Ruling | undefined {
  const denial = denialOf(call) ?? pathDenial(call, paths);
  if (denial !== undefined) return { isAllowed: false, by: 'rule', why: denial };
  if (onlyReads(call) && !asksForPath(call, paths))
    return { isAllowed: true, by: 'rule', why: 'only reads' };
  if (call.isOwnData)
    return { isAllowed: true, by: 'rule', why: "changes only the agent's own notes" };
  if (mode === 'read') return rulings.readsOnly;
  if (!isRepaired(call) && reachesAllowedHosts(call.accesses, web))
    return { isAllowed: true, by: 'rule', why: 'the user allowed the host' };
  return !isUnclear(call) && runsOnlyReaders(call)
    ? { isAllowed: true, by: 'rule', why: 'the command only reads' }
    : undefined;
}

/** Returns why a command of the call is refused in every mode; `undefined` if none is. */
function denialOf({ accesses }: GateCall): string | undefined {
  for (const access of accesses) {
    if (access.kind !== 'command' || access.verdict?.kind !== 'deny') continue;
    const { reason, part } = access.verdict;
    return `the command ${reason}, which no mode allows${part === '' ? '' : `: ${part}`}`;
  }
  return undefined;
}

/** Returns why a path of the call is refused in every mode; `undefined` if none is. */
function pathDenial({ accesses }: GateCall, paths: PathRules): string | undefined {
  const use = pathUse(accesses, paths);
  return use?.verdict === 'deny' ? pathNote(use) : undefined;
}

/** Returns true for a call that uses a path that needs an approval each time. */
const asksForPath = ({ accesses }: GateCall, paths: PathRules): boolean =>
  pathUse(accesses, paths) !== undefined ||
  accesses.some((access) => access.kind === 'command' && access.verdict?.pathNote !== undefined);

/** Returns true for a call that runs only commands that read and are run exactly as judged. */
const runsOnlyReaders = ({ accesses }: GateCall): boolean =>
  accesses.length > 0 &&
  accesses.every(
    (access) =>
      access.kind === 'command' && access.asArguments === true && access.verdict?.kind === 'safe',
  );

/**
 * Returns true for a call that only reads, without running a command or contacting a host.
 */
const onlyReads = ({ effect, accesses }: GateCall): boolean =>
  effect === 'read' && accesses.every(({ kind }) => kind === 'read');

/**
 * Returns true for a call that may do something other than it seems to do, or send confidential
 * content to a host. The model can send a clear call instead, which may need no approval.
 */
const isUnclear = (call: GateCall): boolean =>
  isRepaired(call) || linkNote(call.accesses) !== '' || isComposed(call.accesses);

const isRepaired = ({ repairs = [] }: GateCall): boolean => repairs.length > 0;

function unclearReason(call: GateCall, paths: PathRules): string {
  const use = pathUse(call.accesses, paths);
  if (use !== undefined) return pathNote(use);
  if (isComposed(call.accesses)) return composedReason;
  const notes = call.accesses.map((each) =>
    each.kind === 'command' ? each.verdict?.pathNote : '',
  );
  return notes.find((note) => note !== undefined && note !== '') ?? 'it may do other than it says';
}

const userAllows: Ruling = { isAllowed: true, by: 'person', why: 'the user allowed it' };
const scopeTexts: Readonly<Record<Scope, string>> = {
  session: 'and the like for this session',
  workspace: 'and the like in this folder',
  always: 'and the like everywhere',
};
const rulings: Readonly<Record<Answer | 'nobody' | 'withdrawn' | 'readsOnly', Ruling>> = {
  readsOnly: { isAllowed: false, by: 'rule', why: 'this session is read-only' },
  allow: userAllows,
  allow_session: userAllows,
  allow_workspace: userAllows,
  allow_always: userAllows,
  deny: { isAllowed: false, by: 'person', why: 'the user did not allow it' },
  nobody: { isAllowed: false, by: 'rule', why: 'no user was there to allow it' },
  withdrawn: {
    isAllowed: false,
    by: 'rule',
    why: 'the call was interrupted before the user answered',
  },
};
