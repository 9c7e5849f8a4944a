import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'latchkey-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts a process that keeps users in a file. */
function startWriter(path: string): ChildProcess {
  const script = join(import.meta.dirname, 'support/writer.ts')
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Kills a writer some time after its first user; the ids that it has printed whole. */
async function killed(writer: ChildProcess, milliseconds: number): Promise<string[]> {
  let printed = ''
  writer.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const closed = once(writer, 'close')
  await Promise.race([once(writer.stdout ?? writer, 'data'), closed])
  await new Promise((done) => setTimeout(done, milliseconds))
  writer.kill('SIGKILL')
  await closed
  return printed.split('\n').slice(0, -1)
}

/** How many users are whole, of those that have been promised, and what is wrong. */
function inspect(path: string, promised: readonly string[]): Record<string, unknown> {
  const database = new DatabaseSync(path)
  const count = (from: string): unknown =>
    database.prepare(`SELECT COUNT(*) AS n FROM ${from}`).get()?.['n']
  const joined = `latchkey_users u JOIN latchkey_accounts a ON a.user_id = u.id JOIN latchkey_sessions s ON s.user_id = u.id`
  const whole = database
    .prepare(`SELECT u.id FROM ${joined}`)
    .all()
    .map(({ id }) => id)
  const known = new Set(whole)
  const found = {
    integrity: database.prepare('PRAGMA integrity_check').get()?.['integrity_check'],
    lost: promised.filter((id) => !known.has(id)),
    inPart: Number(count('latchkey_users')) - whole.length,
  }
  database.close()
  return found
}

describe('a process that is killed while it writes', () => {
  test('has kept every user that it said it had, and none in part', async () => {
    const path = join(folder, 'users.sqlite')
    const promised: string[] = []
    for (let round = 0; round < 5; round++) {
      promised.push(...(await killed(startWriter(path), Math.random() * 300)))
      expect(inspect(path, promised)).toEqual({ integrity: 'ok', lost: [], inPart: 0 })
    }
    expect(promised.length).toBeGreaterThan(5)
  })

  test('so have several that begin on one new file at once', async () => {
    const path = join(folder, 'users.sqlite')
    const writers = Array.from({ length: 4 }, () => startWriter(path))
    const promised = await Promise.all(writers.map((writer) => killed(writer, 300)))
    for (const ids of promised) expect(ids.length).toBeGreaterThan(0)
    expect(inspect(path, promised.flat())).toEqual({ integrity: 'ok', lost: [], inPart: 0 })
  })
})
