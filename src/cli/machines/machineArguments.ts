/** `helios machine …` and `helios machines`: what the terminal adds to the words about machines. */

export interface MachineArguments {
  /** For `readMachineWords`. */
  readonly words: readonly string[];
  /** Only of a list. */
  readonly isJson: boolean;
}

export function machineArguments(more: readonly string[], name: string): MachineArguments {
  const words = name === 'machines' ? ['list', ...more] : more;
  const isJson = words[0] === 'list' && words.includes('--json');
  return { words: isJson ? words.filter((word) => word !== '--json') : words, isJson };
}
