import type { Storage } from '@latchkey/core'

/** Wraps a storage, so that its process is killed at the beginning or the end of a call: `point` counts both. */
export function killAt(storage: Storage, point: number): Storage {
  let reached = 0
  const pass = (): void => {
    if (++reached === point) process.kill(process.pid, 'SIGKILL')
  }
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        pass()
        const result: unknown = await member.apply(target, args)
        pass()
        return result
      }
    },
  })
}
