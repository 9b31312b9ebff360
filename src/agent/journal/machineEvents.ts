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
  | ({ readonly type: 'place.warned' } & PlaceWarning);
