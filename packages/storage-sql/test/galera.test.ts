import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import type { SqlStorage } from '@latchkey/storage-sql'
import { findGalera, findMariadb, startMariadb } from '@latchkey/test-support/mariadb-server'
import type { TestServer } from '@latchkey/test-support/system-program'
import { buildAccount, buildUser } from '@latchkey/test-support/records'
import { findProgram } from '@latchkey/test-support/system-program'
import { getFreePort } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const mariadbd = findMariadb()
const library = findGalera()
const rsync = findProgram('the program rsync', ['/usr/bin/rsync'])

/** Rounds of two simultaneous calls: without the lock, most of them go wrong. */
const ROUNDS = 15

describe.runIf(mariadbd && library && rsync)('two nodes of a Galera cluster', () => {
  const closing: (() => unknown)[] = []
  let storages: SqlStorage[]

  const startNode = async (groupPort: number, cluster: string): Promise<TestServer> => {
    const options = [
      `gmcast.listen_addr=tcp://127.0.0.1:${groupPort}`,
      `ist.recv_addr=127.0.0.1:${await getFreePort()}`,
    ]
    const node = await startMariadb(mariadbd ?? '', [
      '--wsrep-on=ON',
      `--wsrep-provider=${library}`,
      `--wsrep-provider-options=${options.join(';')}`,
      `--wsrep-cluster-address=gcomm://${cluster}`,
      '--wsrep-node-address=127.0.0.1',
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${await getFreePort()}`,
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
    ])
    closing.push(node.remove)
    return node
  }
  const openStorage = ({ url }: TestServer): SqlStorage => {
    const pool = createPool({ uri: url, connectionLimit: 4 })
    closing.push(() => pool.end())
    return mysql2Storage(pool)
  }

  beforeAll(async () => {
    const groupPort = await getFreePort()
    const first = await startNode(groupPort, '')
    const second = await startNode(await getFreePort(), `127.0.0.1:${groupPort}`)
    storages = [openStorage(first), openStorage(second)]
    for (const storage of storages) await storage.migrate()
  })
  afterAll(async () => {
    for (const close of closing.toReversed()) await close()
  })

  /** A node applies the writes of the other one soon after. */
  const waitForUser = async (id: string): Promise<void> => {
    for (const storage of storages) await expect.poll(() => storage.getUser(id)).toBeDefined()
  }

  test('are reported', async () => {
    const problem =
      'a Galera cluster of 2 nodes: locks hold on one node only, and a node reads writes of the other nodes late'
    const warning = { problem, fix: 'send all writes to one node' }
    for (const storage of storages) expect(await storage.getServerWarnings()).toEqual([warning])
  })

  test('leave a user one of two accounts, if each unlinks another one', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [user, accounts] = [buildUser(), [buildAccount(), buildAccount()]]
      await storages[0]?.createUser(user, accounts[0])
      await storages[0]?.linkAccount(user.id, accounts[1] ?? buildAccount())
      await waitForUser(user.id)
      await expect.poll(() => storages[1]?.listAccounts(user.id)).toHaveLength(2)
      const unlinked = await Promise.all(
        storages.map((storage, i) => {
          const { provider = '', providerAccountId = '' } = accounts[i] ?? {}
          return storage.unlinkAccount(user.id, provider, providerAccountId)
        }),
      )
      expect(unlinked.filter(Boolean)).toHaveLength(1)
      for (const storage of storages)
        await expect.poll(() => storage.listAccounts(user.id)).toHaveLength(1)
    }
  })

  test('give a user without accounts one of two, if each links another one', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = buildUser({ emailVerified: false })
      await storages[0]?.createUser(user)
      await waitForUser(user.id)
      const linked = await Promise.all(
        storages.map((storage) => storage.linkAccount(user.id, buildAccount(), null)),
      )
      expect(linked.filter(Boolean)).toHaveLength(1)
    }
  })

  test('accept a single-use token once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const token = { identifier: `${round}`, token: 'secret', expires: 100 }
      await storages[0]?.createVerificationToken(token)
      // The other node applies writes in order: the token is there when the user is.
      const user = buildUser()
      await storages[0]?.createUser(user)
      await waitForUser(user.id)
      const used = await Promise.all(
        storages.map((storage) => storage.useVerificationToken(token.identifier, 'secret', 1)),
      )
      expect(used.filter(Boolean)).toHaveLength(1)
    }
  })
})
