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

/** Starts a process that creates users in a file until it is killed. */
function startWriter(path: string): ChildProcess {
  const script = join(import.meta.dirname, 'support/writer.ts')
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Kills a writer some time after its first user. Returns the ids that it printed completely. */
async function killWriter(writer: ChildProcess, milliseconds: number): Promise<string[]> {
  let printed = ''
  writer.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const closed = once(writer, 'close')
  await Promise.race([once(writer.stdout ?? writer, 'data'), closed])
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  writer.kill('SIGKILL')
  await closed
  return printed.split('\n').slice(0, -1)
}

/** Returns the confirmed users that are lost, and the number of users without account or session. */
function inspect(path: string, confirmed: readonly string[]): Record<string, unknown> {
  const database = new DatabaseSync(path)
  const count = (from: string): unknown =>
    database.prepare(`SELECT COUNT(*) AS n FROM ${from}`).get()?.['n']
  const joined = `latchkey_users u JOIN latchkey_accounts a ON a.user_id = u.id JOIN latchkey_sessions s ON s.user_id = u.id`
  const complete = database
    .prepare(`SELECT u.id FROM ${joined}`)
    .all()
    .map(({ id }) => id)
  const known = new Set(complete)
  const found = {
    integrity: database.prepare('PRAGMA integrity_check').get()?.['integrity_check'],
    lost: confirmed.filter((id) => !known.has(id)),
    incomplete: Number(count('latchkey_users')) - complete.length,
  }
  database.close()
  return found
}

describe('a process that is killed while it writes', () => {
  test('keeps every confirmed user, each complete', async () => {
    const path = join(folder, 'users.sqlite')
    const confirmed: string[] = []
    for (let round = 0; round < 5; round++) {
      confirmed.push(...(await killWriter(startWriter(path), Math.random() * 300)))
      expect(inspect(path, confirmed)).toEqual({ integrity: 'ok', lost: [], incomplete: 0 })
    }
    expect(confirmed.length).toBeGreaterThan(5)
  })

  test('several processes that create the same file keep theirs too', async () => {
    const path = join(folder, 'users.sqlite')
    const writers = Array.from({ length: 4 }, () => startWriter(path))
    const confirmed = await Promise.all(writers.map((writer) => killWriter(writer, 300)))
    for (const ids of confirmed) expect(ids.length).toBeGreaterThan(0)
    expect(inspect(path, confirmed.flat())).toEqual({ integrity: 'ok', lost: [], incomplete: 0 })
  })
})
