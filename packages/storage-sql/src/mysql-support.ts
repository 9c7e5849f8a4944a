import type { Database } from './database.ts'
import { online } from './online.ts'
import type { ServerSupport, ServerWarning, UserLock } from './server-warnings.ts'
import { raw, sql } from './sql.ts'

/** What MariaDB and MySQL need: checks of their settings, and a lock that all nodes of Galera see. */
export const mysqlSupport: ServerSupport = { getWarnings, createUserLock, online }

type Settings = ReadonlyMap<string, string>

async function getWarnings(database: Database): Promise<readonly ServerWarning[]> {
  const settings = new Map([
    ...(await readNames(database, 'VARIABLES', ['innodb_flush_log_at_trx_commit', 'wsrep_on'])),
    ...(await readNames(database, 'STATUS', ['wsrep_cluster_size'])),
  ])
  return [...checkFlush(settings), ...checkCluster(settings)]
}

/** MySQL does not have all of the names; it leaves out what it does not know. */
async function readNames(
  { queryRows }: Database,
  kind: 'VARIABLES' | 'STATUS',
  names: readonly string[],
): Promise<Settings> {
  const list = names.map((name) => `'${name}'`).join(', ')
  const rows = await queryRows(raw(`SHOW GLOBAL ${kind} WHERE Variable_name IN (${list})`))
  return new Map(
    rows.map((row) => [String(row['Variable_name']).toLowerCase(), String(row['Value'])]),
  )
}

/** 1 writes and flushes the log at each commit; so does 3, which only MariaDB has. */
function checkFlush(settings: Settings): readonly ServerWarning[] {
  const value = settings.get('innodb_flush_log_at_trx_commit')
  if (value !== '0' && value !== '2') return []
  const crash = value === '0' ? 'a crash' : 'a crash of the machine'
  const problem = `innodb_flush_log_at_trx_commit is ${value}: ${crash} loses acknowledged writes, sign-outs included`
  return [{ problem, fix: 'set innodb_flush_log_at_trx_commit to 1' }]
}

function checkCluster(settings: Settings): readonly ServerWarning[] {
  const size = Number(settings.get('wsrep_cluster_size'))
  if (settings.get('wsrep_on') !== 'ON' || !(size > 1)) return []
  const problem = `a Galera cluster of ${size} nodes: locks hold on one node only, and a node reads writes of the other nodes late`
  return [{ problem, fix: 'send all writes to one node' }]
}

/** Seconds after which the row of a lock can be swept: longer than a transaction takes. */
const LOCK_LIFETIME = 60

/**
 * Creates the lock of users. In a Galera cluster, `FOR UPDATE` locks a row on its own node only. Nodes
 * compare what transactions write, so each transaction also writes the same counter: of two, one fails
 * like a deadlock and is tried again.
 */
function createUserLock(database: Database): UserLock {
  let isCluster: boolean | undefined
  return async (userId) => {
    isCluster ??= (await readNames(database, 'VARIABLES', ['wsrep_on'])).get('wsrep_on') === 'ON'
    if (!isCluster) return []
    const expires = Math.floor(Date.now() / 1000) + LOCK_LIFETIME
    // The column has 255 characters. Two users with the same row would only wait for each other.
    const key = `lock:${userId.slice(0, 240)}`
    return [
      sql`INSERT INTO #counters (id, hits, expires) VALUES (${key}, 1, ${expires})
        ON DUPLICATE KEY UPDATE hits = hits + 1, expires = ${expires}`,
    ]
  }
}
