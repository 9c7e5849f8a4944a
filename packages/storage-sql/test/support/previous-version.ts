import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { mysql, postgres } from '../../src/dialects.ts'
import { getMigrations } from '../../src/schema.ts'
import { openConnection } from './connection.ts'
import type { Connection, Server } from './connection.ts'

/** What the writers of the previous version have seen. */
interface WriterReport {
  readonly transactions: number
  readonly errors: readonly string[]
  /** Transactions that the server ended because of a deadlock: the previous version repeats them too. */
  readonly deadlocks: number
  /** Milliseconds that the slowest statement took, the wait for locks included. */
  readonly longest: number
}

/** Writers that sign users in, as processes of the previous version do. */
export interface Writers {
  readonly stop: () => Promise<WriterReport>
}

const times = { created_at: 1_700_000_000, renewed_at: 1_700_000_000, expires: 4_000_000_000 }

/** Creates the tables as the previous version did, with so many users and sessions; each third email address is unverified. */
export async function createPreviousTables(
  server: Server,
  prefix: string,
  rows: number,
): Promise<void> {
  const connection = await openConnection(server)
  const syntax = server.dialect === 'mysql' ? mysql : postgres
  for (const { additions, statements } of getMigrations(syntax).slice(0, 2)) {
    for (const text of [...additions.map(({ sql }) => sql), ...statements]) {
      await connection.query(text.replaceAll('#', prefix))
    }
  }
  const [numbers, id] =
    server.dialect === 'mysql'
      ? [`(SELECT seq AS n FROM seq_1_to_${rows}) numbers`, 'MD5(n)']
      : [`generate_series(1, ${rows}) n`, 'MD5(CAST(n AS TEXT))']
  const email = server.dialect === 'mysql' ? `CONCAT(n, '@example.com')` : `n || '@example.com'`
  await connection.query(
    `INSERT INTO ${prefix}users (id, name, email, email_verified)
      SELECT ${id}, 'Zoë', ${email}, CASE WHEN n % 3 = 0 THEN 0 ELSE 1 END FROM ${numbers}`,
  )
  await connection.query(
    `INSERT INTO ${prefix}sessions (id, user_id, ${Object.keys(times).join(', ')}, data)
      SELECT id, id, ${Object.values(times).join(', ')}, '{}' FROM ${prefix}users`,
  )
  await connection.query(`ANALYZE ${server.dialect === 'mysql' ? 'TABLE ' : ''}${prefix}users`)
  await connection.close()
}

/** Starts writers, each on a separate connection. */
export async function startWriters(
  server: Server,
  prefix: string,
  rows: number,
  count = 6,
): Promise<Writers> {
  const state = { isRunning: true }
  const report = { transactions: 0, errors: [] as string[], deadlocks: 0, longest: 0 }
  const write = async (connection: Connection): Promise<void> => {
    while (state.isRunning) {
      try {
        await signIn(connection, prefix, rows, report)
        report.transactions++
      } catch (error) {
        report.errors.push(String(error))
        await connection.query('ROLLBACK')
      }
      await wait(2)
    }
    await connection.close()
  }
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(server)))
  const writing = connections.map(write)
  return {
    async stop() {
      state.isRunning = false
      await Promise.all(writing)
      return report
    },
  }
}

/** Runs the statements of a new user, of a known one who signs in, and of a request with a session. */
async function signIn(
  { dialect, query }: Connection,
  prefix: string,
  rows: number,
  report: { longest: number; deadlocks: number },
): Promise<void> {
  const run = async (text: string): Promise<readonly unknown[]> => {
    const startedAt = performance.now()
    const result = await query(text)
    report.longest = Math.max(report.longest, performance.now() - startedAt)
    return result
  }
  const runAll = async (...texts: readonly string[]): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        for (const text of [...getBegin(dialect), ...texts, 'COMMIT']) await run(text)
        return
      } catch (error) {
        if (attempt === 9 || !/deadlock/i.test(String(error))) throw error
        report.deadlocks++
        await query('ROLLBACK')
        await wait(Math.random() * 2 ** (attempt + 2))
      }
    }
  }
  const id = randomUUID()
  const isVerified = Math.random() < 0.5 ? 1 : 0
  const known = `'${toId(1 + Math.floor(Math.random() * rows))}'`
  const unverified = `'${toId(3 * (1 + Math.floor((Math.random() * rows) / 3)))}'`
  const insertSession = (where: string): string =>
    `INSERT INTO ${prefix}sessions (user_id, id, created_at, renewed_at, expires, data)
      SELECT id, '${randomUUID()}', ${Object.values(times).join(', ')}, '{}'
      FROM ${prefix}users WHERE ${where} FOR UPDATE`
  await runAll(
    `INSERT INTO ${prefix}users (id, name, email, email_verified, image)
      VALUES ('${id}', 'New', '${id}@example.com', ${isVerified}, NULL)`,
    `INSERT INTO ${prefix}accounts (user_id, provider, provider_account_id, type)
      SELECT id, 'passport', '${id}', 'oauth' FROM ${prefix}users WHERE id = '${id}' FOR UPDATE`,
    insertSession(`id = '${id}'`),
  )
  await runAll(insertSession(`id = ${known}`))
  await runAll(`UPDATE ${prefix}users SET name = 'Seen' WHERE id = ${unverified}`)
  await run(`SELECT s.id, s.data, u.id, u.name, u.email, u.email_verified
    FROM ${prefix}sessions s JOIN ${prefix}users u ON u.id = s.user_id WHERE u.id = '${id}'`)
  await run(`UPDATE ${prefix}sessions SET renewed_at = renewed_at + 1 WHERE user_id = '${id}'`)
}

function getBegin(dialect: Server['dialect']): readonly string[] {
  return dialect === 'mysql'
    ? ['SET TRANSACTION ISOLATION LEVEL READ COMMITTED', 'START TRANSACTION']
    : ['BEGIN ISOLATION LEVEL READ COMMITTED']
}

/** Returns the id that `MD5` gives the n-th user. */
function toId(n: number): string {
  return createHash('md5').update(String(n)).digest('hex')
}
