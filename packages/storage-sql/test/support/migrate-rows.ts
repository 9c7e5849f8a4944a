import { parseArgs } from 'node:util'
import { mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { createPrefix } from './backends.ts'
import type { Server } from './connection.ts'
import { createPreviousTables, startWriters } from './previous-version.ts'
import { drop, serverClients } from './server-clients.ts'

// Migrates tables of many rows beside writers of the previous version, and prints what they notice:
// `node packages/storage-sql/test/support/migrate-rows.ts`, which reads TEST_POSTGRES_URL and TEST_MYSQL_URL.
const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const rows = Number(values.rows)

const servers: readonly Server[] = [
  { dialect: 'postgres', url: postgresUrl },
  { dialect: 'mysql', url: mysqlUrl },
]

for (const server of servers) {
  const client = serverClients.find(({ dialect }) => dialect === server.dialect)
  if (!client) continue
  const prefix = createPrefix()
  await createPreviousTables(server, prefix, rows)
  const { storage, end } = client.open(server.url, { prefix })
  const writers = await startWriters(server, prefix, rows)
  const startedAt = performance.now()
  await Promise.all([storage.migrate(), storage.migrate(), storage.migrate()])
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const { transactions, errors, deadlocks, longest } = await writers.stop()
  const name = server.dialect === 'mysql' ? 'MariaDB' : 'PostgreSQL'
  console.log(
    `${name}: ${rows} users and sessions in ${seconds} s; beside them ${transactions} sign-ins, ` +
      `${errors.length} errors, ${deadlocks} repeated, longest statement ${Math.round(longest)} ms`,
  )
  for (const error of new Set(errors)) console.log(error)
  await end()
  await drop(client, prefix)
}
