/** Notes of the agent, as files. */
export { parsePath } from '../memory/memoryPath.ts';
export { MemoryStore } from '../memory/memoryStore.ts';
