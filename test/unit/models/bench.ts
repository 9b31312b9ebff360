/** One provider and one server that speaks its wire format, for the tests of the contract. */
import assert from 'node:assert/strict';
import type { ModelProvider } from '../../../src/models/model.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type {
  JsonObject,
  WireReply,
  WireRequest,
  WireScript,
  WireServer,
} from '../../fakes/wire.ts';
import { hear, request, type Heard, type Reading } from './conversing.ts';

export interface Subject {
  readonly name: string;
  readonly model: string;
  start(script?: WireScript): Promise<WireServer>;
  create(options: {
    readonly baseUrl: string;
    readonly clock: ManualClock;
    readonly random: () => number;
    readonly apiKey: () => Promise<string | undefined>;
  }): ModelProvider;
  /** Its format has arguments as objects: there is no way for them to be broken. */
  readonly hasParsedArguments?: true;
  /** What is said when the key is refused, where it is not a key that a user sets. */
  readonly whenRefused?: RegExp;
  /** It signs in by itself: no key of ours is read. */
  readonly hasOwnKey?: true;
  /** A program between us and the service does not pass on how long a refusal asks to wait. */
  readonly hidesWaits?: true;
  /**
   * A program between us and the service asks once more, in another form, what was refused as
   * wrong.
   */
  readonly looksTwice?: true;
  /** A program between us and the service may drop what came right before a cut. */
  readonly losesCutText?: true;
  /**
   * By these a program between us and the service asks for the rest of a reply that was cut, until
   * it is ended.
   */
  readonly asksForTheRest?: (body: JsonObject) => boolean;
  /** A program between us and the service has its own order of tools. */
  readonly sortsTools?: true;
  /** Reads an outgoing request back. */
  readonly sent: {
    /** Where the path names the model, and not the body. */
    model?(path: string): string;
    system(body: JsonObject): string;
    tools(body: JsonObject): string[];
    /** Call ids of the results, in their order. */
    results(body: JsonObject): string[];
    /** The thinking that was sent back. */
    thinking(body: JsonObject): string[];
  };
}

export const key = 'sk-test-0123456789';

type GetKey = () => Promise<string | undefined>;

export class Bench {
  readonly subject: Subject;
  readonly clock = new ManualClock();
  readonly server: WireServer;
  provider: ModelProvider;

  static async open(subject: Subject): Promise<Bench> {
    return new Bench(subject, await subject.start());
  }

  private constructor(subject: Subject, server: WireServer) {
    this.subject = subject;
    this.server = server;
    this.provider = this.create();
  }

  async close(): Promise<void> {
    await this.server.close();
    assert.equal(this.clock.pendingTimers, 0, 'no timer is left behind');
  }

  create(apiKey: GetKey = () => Promise.resolve(key)): ModelProvider {
    return this.subject.create({
      baseUrl: this.server.url,
      clock: this.clock,
      random: () => 0.5,
      apiKey,
    });
  }

  /** Makes a call and reads it to its end. */
  ask(changes = {}, reading: Partial<Reading> = {}): Promise<Heard> {
    return hear(
      (...args) => this.provider.stream(...args),
      request({ model: this.subject.model, ...changes }),
      {
        clock: this.clock,
        ...reading,
      },
    );
  }

  /** Scripts the answers to the calls, in their order. */
  answers(...replies: readonly WireReply[]): void {
    this.server.reply((request) => {
      if (this.#isForTheRest(request)) return { breaks: { at: 'connect', how: 'hang' } };
      const index = this.asked.length - 1;
      return replies[index] ?? { status: 400, message: `nothing is scripted for call ${index}` };
    });
  }

  /** What we asked. */
  get asked(): readonly WireRequest[] {
    return this.server.requests.filter((each) => !this.#isForTheRest(each));
  }

  #isForTheRest({ body }: WireRequest): boolean {
    return this.subject.asksForTheRest?.(body) ?? false;
  }
}
