import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { raceForTokens, raceTitle } from '../../authorization-server/test/support/processes.ts'
import { createPrefix } from './support/backends.ts'
import { openShared } from './support/open-shared.ts'
import { drop, serverClients } from './support/server-clients.ts'

const file = join(import.meta.dirname, 'support/redeemer.ts')
const servers = serverClients.filter(({ name }) => ['pg', 'mysql2'].includes(name))

test(`${raceTitle}: SQLite`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-race-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await race('sqlite', join(folder, 'app.sqlite'), 'latchkey_')
})

test.for(servers)(`${raceTitle}: $name`, async (client) => {
  const prefix = createPrefix()
  onTestFinished(() => drop(client, prefix))
  await race(client.dialect, client.url, prefix)
})

async function race(dialect: string, url: string, prefix: string): Promise<void> {
  const storage = openShared[dialect]?.(url, prefix)
  if (!storage) throw new Error(`expected a dialect, found ${dialect}`)
  await storage.migrate()
  await raceForTokens(storage, { file, env: { DIALECT: dialect, DATABASE: url, PREFIX: prefix } })
  await storage.close()
}
