/** What an application does to its database when it starts. */
export type StartStep = 'migrate' | 'createFile'

/**
 * Returns whether a step is left out: `latchkey doctor` and `latchkey migrate` load the application to read
 * its configuration, and that must change nothing. They set a function in the registry of symbols, because
 * the application may have another copy of this module.
 */
export function isSkipped(step: StartStep): boolean {
  const inspect: unknown = Reflect.get(globalThis, Symbol.for('latchkey.inspection'))
  return typeof inspect === 'function' && inspect(step) === true
}
