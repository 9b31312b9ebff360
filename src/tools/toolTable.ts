import type { Tool } from './tool.ts';

/**
 * Tools by name, in the order in which they are sent to the model. `get` also finds a tool by a
 * former name.
 */
export class ToolTable extends Map<string, Tool> {
  readonly #formerNames: ReadonlyMap<string, string>;

  constructor(tools: readonly Tool[]) {
    super(tools.map((tool) => [tool.spec.name, tool]));
    this.#formerNames = new Map(
      tools.flatMap(({ spec, formerNames }) => formerNames.map((name) => [name, spec.name])),
    );
  }

  override get(name: string): Tool | undefined {
    return super.get(name) ?? super.get(this.#formerNames.get(name) ?? '');
  }
}
