import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { sqlStorage } from '@latchkey/storage-sql'
import type { Dialect } from '@latchkey/storage-sql'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { buildUser } from '@latchkey/test-support/records'
import { mysqlUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import { mysql, postgres, sqlite } from '../src/dialects.ts'
import type { DialectSyntax, Index } from '../src/dialects.ts'
import { getMigrations } from '../src/schema.ts'
import type { Addition } from '../src/schema.ts'
import { createPgliteDriver, createPrefix, getReachableBackends } from './support/backends.ts'
import { openD1 } from './support/d1.ts'

const reachable = await getReachableBackends()
const dialects = { sqlite, postgres, mysql }

type Migration = ReturnType<typeof getMigrations>[number]

/** Renders the file of a migration. */
function render({ additions, statements, steps }: Migration, syntax: DialectSyntax): string {
  const toText = syntax === mysql ? renderConditionally : ({ sql }: Addition): string => sql
  // The indexes of new columns are added with them.
  const indexes = syntax === mysql && additions.length === 0 ? steps.indexes : []
  return [...additions.map(toText), ...indexes.map(renderIndexConditionally), ...statements]
    .map((text) => `${text.replaceAll('#', 'latchkey_')};\n`)
    .join('\n')
}

/** MySQL and MariaDB have no condition in common for ALTER TABLE. */
function renderConditionally({ table, column, sql }: Addition): string {
  return `SET @columns = (
  SELECT COUNT(*) FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = '${table}' AND column_name = '${column}'
);
SET @addition = IF(@columns > 0, 'DO 0', '${sql}');
PREPARE addition FROM @addition;
EXECUTE addition;
DEALLOCATE PREPARE addition`
}

function renderIndexConditionally({ name, table, columns }: Index): string {
  return `SET @indexes = (
  SELECT COUNT(*) FROM information_schema.statistics
  WHERE table_schema = DATABASE() AND table_name = '${table}' AND index_name = '${name}'
);
SET @addition = IF(@indexes > 0, 'DO 0', 'ALTER TABLE ${table} ADD INDEX ${name} (${columns})');
PREPARE addition FROM @addition;
EXECUTE addition;
DEALLOCATE PREPARE addition`
}

function read(dialect: Dialect): string {
  const folder = `${import.meta.dirname}/../schema/${dialect}`
  const files = readdirSync(folder).toSorted()
  return files.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n')
}

// `vitest run packages/storage-sql -u` writes the files of a new migration.
describe.for(Object.entries(dialects))('schema/%s', ([name, dialect]) => {
  const files = getMigrations(sqlGrants().addTables(sqlFactors().addTables(dialect))).map(
    (each) => ({
      file: `${each.name}.sql`,
      ...each,
    }),
  )
  test.for(files)('$file matches the source', async ({ file, ...migration }) => {
    await expect(render(migration, dialect)).toMatchFileSnapshot(`../schema/${name}/${file}`)
  })
})

// SQLite cannot add a column only if it is missing: a second time, the first statement of a file that
// adds columns fails, and so changes nothing. wrangler records which files it has applied.
describe('the files can be applied again, and migrate() accepts their tables', () => {
  const user = buildUser()

  test('SQLite', async () => {
    const database = new DatabaseSync(':memory:')
    database.exec(read('sqlite'))
    expect(() => database.exec(read('sqlite'))).toThrow('duplicate column name: unverified_email')
    const storage = nodeSqliteStorage(database)
    await storage.migrate()
    expect(await storage.createUser(user)).toEqual(user)
  })

  test('D1', async () => {
    const { database, close } = openD1()
    const statements = read('sqlite')
      .split(';\n')
      .filter((text) => text.trim() !== '')
    for (const text of statements) await database.prepare(text).run()
    for (const text of statements) {
      const applied = database.prepare(text).run()
      if (text.includes('ADD COLUMN'))
        await expect(applied).rejects.toThrow('duplicate column name')
      else await applied
    }
    const storage = d1Storage(database)
    await storage.migrate()
    expect(await storage.createUser(user)).toEqual(user)
    await close()
  })

  test('PostgreSQL', async () => {
    const database = new PGlite()
    await database.exec(read('postgres'))
    await database.exec(read('postgres'))
    const storage = sqlStorage(createPgliteDriver(database))
    await storage.migrate()
    expect(await storage.createUser(user)).toEqual(user)
    await database.close()
  })

  if (reachable.some(({ dialect }) => dialect === 'mysql')) {
    test('MariaDB or MySQL', async () => {
      const name = createPrefix()
      const url = new URL(mysqlUrl)
      url.pathname = name
      const server = createPool(mysqlUrl)
      await server.query(`CREATE DATABASE ${name}`)
      const pool = createPool({ uri: url.href, multipleStatements: true })
      try {
        await pool.query(read('mysql'))
        await pool.query(read('mysql'))
        const storage = mysql2Storage(pool)
        await storage.migrate()
        expect(await storage.createUser(user)).toEqual(user)
      } finally {
        await server.query(`DROP DATABASE ${name}`)
        await pool.end()
        await server.end()
      }
    })
  }
})
