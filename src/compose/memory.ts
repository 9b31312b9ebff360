/** Paths and stores of memory notes. */
export { parsePath } from '../memory/memoryPath.ts';
export { MemoryStore } from '../memory/memoryStore.ts';
