import { HOUR, NOW, buildUser } from '@latchkey/test-support/records'
import {
  newClient,
  newGrant,
  requireClients,
  requireGrants,
} from '@latchkey/testing/grants-contract'
import { expect, test } from 'vitest'
import { onEveryLibrary } from './support/clients.ts'
import type { Connected } from './support/clients.ts'

onEveryLibrary('keys of grants and clients', (connected) => {
  test('expire with the grant, also after a change, and a list with its last grant', async () => {
    const storage = requireGrants(connected().storage)
    const user = buildUser()
    await storage.createUser(user)
    const times = { createdAt: NOW, expires: NOW + HOUR }
    const [grant, other] = [newGrant({ userId: user.id, ...times }), newGrant(times)]
    for (const each of [grant, other]) await storage.createGrant(each)
    const version = (await storage.getGrantAndUser(other.id, NOW))?.grant.version ?? ''
    const keys = (each: typeof grant): string[] => [
      `grant:"${each.id}"`,
      `grant-key:"${each.key}"`,
      `client-grants:"${each.clientId}"`,
    ]
    for (const key of [...keys(grant), ...keys(other), `grants:"${user.id}"`])
      expect(await getTtl(connected(), key), key).toSatisfy(isAbout(HOUR))
    const changes = { userId: user.id, expires: NOW + 5 * HOUR }
    expect(await storage.updateGrant(other.id, version, changes)).toBe(true)
    for (const key of [...keys(other), `grants:"${user.id}"`])
      expect(await getTtl(connected(), key), key).toSatisfy(isAbout(5 * HOUR))
    for (const key of keys(grant))
      expect(await getTtl(connected(), key), key).toSatisfy(isAbout(HOUR))
    await storage.deleteUser(user.id)
    for (const key of [...keys(grant), ...keys(other), `grants:"${user.id}"`])
      expect(await getTtl(connected(), key), key).toBe(-2)
  })

  test('a client that stays has no time, and one that the server has deleted leaves the lists', async () => {
    const { client, prefix, storage } = connected()
    const clients = requireClients(storage)
    const [gone, unused] = [newClient({ expires: NOW + HOUR }), newClient({ expires: NOW + HOUR })]
    for (const each of [gone, unused]) await clients.createClient(each)
    expect(await getTtl(connected(), `client:"${unused.id}"`)).toSatisfy(isAbout(HOUR))
    const { version = '' } = (await clients.getClient(unused.id, NOW)) ?? {}
    await clients.updateClient(unused.id, version, { expires: null })
    expect(await getTtl(connected(), `client:"${unused.id}"`)).toBe(-1)
    // As the server does once the client has expired.
    await client.command('DEL', `${prefix}client:"${gone.id}"`)
    await client.command('ZADD', `${prefix}client-expiries`, '1', `"${gone.id}"`)
    await clients.createClient(newClient({ createdAt: NOW }))
    const score = (set: string): Promise<unknown> =>
      client.command('ZSCORE', prefix + set, `"${gone.id}"`)
    expect([await score('clients'), await score('client-expiries')]).toEqual([null, null])
    expect((await clients.listClients(5, NOW)).map(({ id }) => id)).toContain(unused.id)
  })

  test('a grant of a user whom the previous version has deleted is gone', async () => {
    const { client, prefix, storage } = connected()
    const grants = requireGrants(storage)
    const user = buildUser()
    await storage.createUser(user)
    const grant = newGrant({ userId: user.id, createdAt: NOW, expires: NOW + HOUR })
    await grants.createGrant(grant)
    await client.command('DEL', `${prefix}user:"${user.id}"`)
    expect(await grants.getGrantAndUser(grant.id, NOW)).toBeUndefined()
  })
})

/** Returns whether Redis keeps a key for so many seconds, and the margin of the clocks. */
function isAbout(seconds: number): (ttl: unknown) => boolean {
  return (ttl) => Number(ttl) >= seconds && Number(ttl) <= seconds + 301
}

async function getTtl({ client, prefix }: Connected, key: string): Promise<number> {
  return Number(await client.command('TTL', prefix + key))
}
