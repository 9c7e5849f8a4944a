/** A value or a promise of one. Callers await it; code without I/O makes no promise. */
export type Awaitable<T> = T | Promise<T>
