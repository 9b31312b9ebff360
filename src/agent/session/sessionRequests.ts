/** Carries out what users ask of a session from another process, such as a second terminal. */
import path from 'node:path';
import * as z from 'zod';
import { delay, type Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { UserFacing } from '../../base/errors.ts';
import { isRunId, type RunId, type SessionId } from '../../base/ids.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import type { Home } from '../../storage/home.ts';
import { budgetSchema } from '../../project/projectSchema.ts';
import { Mailbox, sendRequest } from '../../storage/mailbox.ts';
import type { SessionRequest, SessionRequests, UserLabel } from '../contract/requests.ts';
import type { Session, Sessions } from '../contract/sessions.ts';
import type { Budget } from '../journal/events.ts';
import { targetHelp } from '../runs/sessionLedger.ts';
import { budgetText } from '../journal/limitText.ts';

const text = z.string().trim().min(1, 'The text is empty.');
const schema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('say'), text }),
  z.strictObject({ kind: z.literal('answer'), question: text, answer: text }),
  z.strictObject({ kind: z.literal('pin'), text }),
  z.strictObject({ kind: z.literal('unpin'), number: z.int() }),
  z.strictObject({ kind: z.literal('rename'), title: z.string() }),
  z.strictObject({
    kind: z.literal('annotate'),
    runIds: z.array(z.custom<RunId>((id) => typeof id === 'string' && isRunId(id))).min(1),
    addTags: z.array(z.string()).optional(),
    removeTags: z.array(z.string()).optional(),
    note: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('pause') }),
  z.strictObject({ kind: z.literal('stop'), killRuns: z.boolean() }),
  z.strictObject({ kind: z.literal('budget'), budget: budgetSchema }),
  z.strictObject({ kind: z.literal('import'), machineId: text, path: z.string().startsWith('/') }),
  z.strictObject({ kind: z.literal('target'), text: z.string().trim() }),
  z.strictObject({ kind: z.literal('model'), model: text, provider: text.optional() }),
]);

export interface RequestDeps {
  readonly home: Pick<Home, 'sessionFolder'>;
  readonly clock: Clock;
  readonly sessions: Pick<Sessions, 'open' | 'owner' | 'resume' | 'label' | 'onDidChange'>;
  readonly models: Pick<ModelCatalogue, 'resolve'>;
}

/**
 * Receives the requests to the sessions that are open in this process, and sends requests to other
 * sessions.
 */
export class RequestMailboxes implements SessionRequests, Disposable {
  readonly #deps: RequestDeps;
  readonly #boxes = new Map<SessionId, Mailbox>();
  readonly #listening: Disposable;

  constructor(deps: RequestDeps) {
    this.#deps = deps;
    this.#listening = deps.sessions.onDidChange(() => this.#update());
  }

  dispose(): void {
    this.#listening.dispose();
    for (const box of this.#boxes.values()) box.dispose();
  }

  async send(id: SessionId, request: SessionRequest): Promise<string> {
    const { sessions, clock } = this.#deps;
    if (sessions.open().some((session) => session.id === id)) return this.#carryOut(id, request);
    if ((await sessions.owner(id)) === undefined) {
      if (isLabel(request)) return sessions.label(id, request);
      throw new UserFacing(
        'No process works on this session.',
        `Continue it first: helios --resume ${id}`,
      );
    }
    return sendRequest(this.#folder(id), request, clock);
  }

  #folder(id: SessionId): string {
    return path.join(this.#deps.home.sessionFolder(id), 'requests');
  }

  #update(): void {
    const open = new Set(this.#deps.sessions.open().map(({ id }) => id));
    for (const [id, box] of this.#boxes) {
      if (open.has(id)) continue;
      box.dispose();
      this.#boxes.delete(id);
    }
    for (const id of open) {
      if (this.#boxes.has(id)) continue;
      const handle = (body: unknown): Promise<string> => this.#carryOut(id, body);
      this.#boxes.set(id, new Mailbox(this.#folder(id), { clock: this.#deps.clock, handle }));
    }
  }

  async #carryOut(id: SessionId, body: unknown): Promise<string> {
    const session = this.#deps.sessions.open().find((one) => one.id === id);
    if (session === undefined) throw new UserFacing('The session was closed.');
    const request = schema.safeParse(body);
    if (!request.success)
      throw new UserFacing(
        `The request is not understood: ${z.prettifyError(request.error)}`,
        'Use the same version of Helios on both sides.',
      );
    if (isLabel(request.data)) return session.label(request.data);
    return perform(session, request.data, this.#deps);
  }
}

/** Carries out a request, and resolves with a text about what was done. */
async function perform(
  session: Session,
  request: Exclude<SessionRequest, UserLabel>,
  { sessions, models, clock }: RequestDeps,
): Promise<string> {
  switch (request.kind) {
    case 'say':
      await session.say(request.text);
      return 'Sent. The session reads it with its next model call.';
    case 'answer':
      await session.answer(request.question, request.answer);
      return `Answered ${request.question}.`;
    case 'pin':
      return `Pinned as sticky ${await session.pin(request.text)}.`;
    case 'unpin':
      if (await session.unpin(request.number)) return `Removed sticky ${request.number}.`;
      throw new UserFacing(`There is no sticky ${request.number}.`);
    case 'pause':
      await session.interrupt();
      return 'Paused. Runs continue; a message continues the session.';
    case 'stop':
      await session.stop({ killRuns: request.killRuns });
      return request.killRuns ? 'Stopped, with its runs.' : 'Stopped. Runs continue.';
    case 'budget':
      return setBudget(session, request.budget, sessions);
    case 'import':
      return importInto(session, request, clock);
    case 'target':
      if (request.text === '') return targetHelp(session.state);
      return `Target: ${await session.setTarget(request.text)}.`;
    case 'model': {
      const { provider, model } = models.resolve(
        request.model,
        request.provider,
        session.state.provider,
      );
      await session.useModel(provider, model);
      return `The next model call uses ${provider} ${model}.`;
    }
  }
}

const isLabel = (request: SessionRequest): request is UserLabel =>
  request.kind === 'rename' || request.kind === 'annotate';

/**
 * Time after which a request to import is answered even if the files are still being read. Shorter
 * than the time for which the sender waits for a reply.
 */
const importReplyMs = 10_000;

/** Resolves with a text: what was imported, or that the files are still being read. */
async function importInto(
  session: Session,
  { machineId, path: file }: Extract<SessionRequest, { kind: 'import' }>,
  clock: Clock,
): Promise<string> {
  const waiting = new AbortController();
  const reading = session.importFiles(machineId, file);
  const late = delay(clock, importReplyMs, waiting.signal).then(
    () =>
      `${file} is still being read. If the session does not name it within two minutes, run the command without --session to see why.`,
  );
  // The promise that loses the race below may reject later without a handler.
  late.catch(() => undefined);
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, late]);
  } finally {
    waiting.abort();
  }
}

/** Changes the given limits; other limits stay unchanged. */
async function setBudget(
  { id, state }: Session,
  budget: Budget,
  sessions: RequestDeps['sessions'],
): Promise<string> {
  const changed = { ...state.budget, ...budget };
  await sessions.resume(id, { budget: changed });
  return `Limits: ${budgetText(changed)}.`;
}
