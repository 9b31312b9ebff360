/** The section of the system prompt on tools. Every profile has it. */
import { untrustedRule } from '../../base/untrusted.ts';
import type { Tool } from '../../tools/tool.ts';

/** Returns the guidance of each tool, in the order of the tools, then `rules`. */
export const toolSection = (rules: readonly string[], tools: readonly Tool[]): string =>
  `Tools\n${[...tools.flatMap(({ guidance }) => guidance), ...rules].map((line) => `- ${line}`).join('\n')}`;

/** Rules that apply to every set of tools. */
export const commonToolRules = [
  'Put independent read-only calls into one turn: they run side by side.',
  'Results that are too long are cut in the middle; the result says how to read the rest.',
  untrustedRule,
  'A label such as ⟨secret WANDB_API_KEY 1f0c9a2e⟩ stands for a value that Helios hides from you. Keep it in a file that you write or patch: the file gets the value back. In a command, use the name of the variable.',
];
