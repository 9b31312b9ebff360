/** Events about the machines of a session, and the place in which it works. */
import type { PlaceWarning } from '../../base/placeWarnings.ts';

export type MachineEvent =
  /** A machine with active runs has not answered for 10 s; the outage goes on. */
  | {
      readonly type: 'machine.silent';
      readonly machineId: string;
      /** Last sign of life, in milliseconds since the epoch, by the clock of this computer. */
      readonly fromMs: number;
      /** Number of the session's runs there. */
      readonly runs: number;
    }
  /** A machine with active runs did not answer for at least 5 s, and answers again. */
  | {
      readonly type: 'machine.out_of_reach';
      readonly machineId: string;
      /** Milliseconds since the epoch, by the clock of this computer. */
      readonly fromMs: number;
      readonly toMs: number;
      /** Number of the session's runs that continued meanwhile. */
      readonly runs: number;
    }
  /**
   * This process did nothing: the computer slept, its clock was set forward, or the process was
   * stopped. Limits in minutes do not count this time.
   */
  | {
      readonly type: 'session.stood_still';
      /** Milliseconds since the epoch, by the clock of this computer. */
      readonly fromMs: number;
      readonly toMs: number;
      /** True if the computer slept all the time; false if this is not known. */
      readonly isAsleep: boolean;
      /** Number of the session's runs on this computer that stood still, too. 0 if not known. */
      readonly runs: number;
    }
  | ({ readonly type: 'place.warned' } & PlaceWarning);
