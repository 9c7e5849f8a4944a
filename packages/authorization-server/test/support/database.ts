import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { nodeSqliteStorage, openSqlite } from '@latchkey/storage-sql/node-sqlite'
import type { Browser } from '@latchkey/testing/browser'
import { onTestFinished } from 'vitest'
import { serveMails } from './mails.ts'
import type { MailServer } from './mails.ts'

/** A service whose SQLite file can be backed up and restored while time passes. */
export interface BackedUp {
  /** The process that runs: another one after each restore. */
  readonly server: () => MailServer
  /** Copies the file, and returns a function that puts the copy back and starts another process. */
  readonly backUp: () => () => void
  /** Keeps the row of a grant, and returns a function that puts it back. */
  readonly backUpGrant: (id: string) => () => void
  /** Moves a browser to the process that runs now. */
  readonly move: (browser: Browser) => Browser
}

/** Serves from an SQLite file until the end of the test. */
export async function serveFile(): Promise<BackedUp> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'app.sqlite')
  const start = () => {
    const database = openSqlite(path)
    const storage = nodeSqliteStorage(database, { grants: sqlGrants() })
    return { database, storage, server: serveMails({ storage }) }
  }
  let running = start()
  onTestFinished(() => running.database.close())
  await running.storage.migrate()
  let copies = 0
  return {
    server: () => running.server,
    backUp() {
      const copy = join(folder, `backup-${copies++}.sqlite`)
      running.database.exec(`VACUUM INTO '${copy}'`)
      return () => {
        const now = running.server.now()
        running.database.close()
        copyFileSync(copy, path)
        running = start()
        running.server.wait(now - running.server.now())
      }
    },
    backUpGrant(id) {
      const { database } = running
      const row = database.prepare('SELECT * FROM latchkey_grants WHERE id = ?').get(id) ?? {}
      const names = Object.keys(row)
      const marks = names.map(() => '?').join()
      const replace = `REPLACE INTO latchkey_grants (${names.join()}) VALUES (${marks})`
      return () => void database.prepare(replace).run(...Object.values(row))
    },
    move(browser) {
      const moved = running.server.browse()
      for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
      return moved
    },
  }
}
