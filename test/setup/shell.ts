/**
 * Required by tiers whose tests call what reads shell texts without an engine, which loads the
 * parser itself.
 */
import { loadShell } from '../../src/shell/grammar.ts';

await loadShell();
