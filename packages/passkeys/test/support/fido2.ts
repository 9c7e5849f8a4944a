import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { reportMissing } from '@latchkey/test-support/servers'

/** A process of python3-fido2 that judges ceremonies. */
export interface Fido2 {
  /** Answers `accepted`, or `refused: ` and the exception of Python. */
  readonly judge: (request: object) => Promise<string>
  readonly end: () => Promise<void>
}

const python = '/usr/bin/python3'
const script = fileURLToPath(new URL('fido2-server.py', import.meta.url))

/** Whether python3-fido2 is installed; if it is not, it is reported as missing. */
export const hasFido2: boolean = spawnSync(python, ['-c', 'import fido2.server']).status === 0
if (!hasFido2) reportMissing('python3-fido2')

/** Starts a process that answers one line for each line that it reads. */
export function startFido2(): Fido2 {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async judge(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      const { value, done } = await lines.next()
      const verdict: unknown = done ? undefined : JSON.parse(value)
      if (typeof verdict !== 'string') throw new Error('expected a verdict of python3-fido2')
      return verdict
    },
    async end() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
