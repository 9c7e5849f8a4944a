import type { Environment } from '@latchkey/environment'

/**
 * Returns an environment that notes the names of the variables that are read from it. A list of its names
 * reads none.
 */
export function noteReads<Env extends Environment>(env: Env, names: Set<string>): Env {
  return new Proxy(env, {
    get(target, name) {
      if (typeof name === 'string') names.add(name)
      return Reflect.get(target, name)
    },
  })
}

/**
 * Puts variables into `process.env`, where the application reads them, and notes which it reads.
 *
 * @returns A function that restores `process.env`
 */
export function replaceProcessEnv(env: Environment, names: Set<string>): () => void {
  const original = process.env
  const strings = Object.entries(env).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  Object.assign(process, { env: noteReads(Object.fromEntries(strings), names) })
  return () => void (process.env = original)
}
