/** Plays a replay: in each frame, shows the step that the replay's clock has reached. */
import { ReplayClock, type ReplaySteps } from './replayClock.ts';
import type { Speed } from './viewState.ts';

export interface Playing extends ReplaySteps {
  readonly speed: Speed;
  /** The selected step. If the user selects another step, the replay continues from that step. */
  readonly row: number;
  show(row: number): void;
  ended(): void;
}

export class Player {
  readonly #playing: Playing;
  #clock: ReplayClock | undefined;
  #lastMs = 0;
  #frame = 0;

  constructor(playing: Playing) {
    this.#playing = playing;
  }

  get isPlaying(): boolean {
    return this.#clock !== undefined;
  }

  start(): void {
    this.#clock = new ReplayClock(this.#playing.row);
    this.#lastMs = performance.now();
    this.#next();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#clock = undefined;
  }

  #next(): void {
    this.#frame = requestAnimationFrame((nowMs) => this.#advance(nowMs));
  }

  #advance(nowMs: number): void {
    const playing = this.#playing;
    if (this.#clock === undefined) return;
    if (this.#clock.row !== playing.row) this.#clock = new ReplayClock(playing.row);
    const row = this.#clock.advance(Math.max(0, nowMs - this.#lastMs), playing.speed, playing);
    this.#lastMs = nowMs;
    if (row !== playing.row) playing.show(row);
    if (row < playing.count - 1) return this.#next();
    this.stop();
    playing.ended();
  }
}
