import { storedClients } from '@latchkey/authorization-server'
import type {
  AuthClients,
  AuthorizationServerOptions,
  StoredClientMembers,
} from '@latchkey/authorization-server'
import type { Storage } from '@latchkey/core'
import { expect } from 'vitest'
import { askForCode, enter, poll, tool, withDevice } from './device.ts'
import {
  browseAs,
  getCode,
  readError,
  readForm,
  readTokens,
  redirectUri,
  refresh,
  serve,
} from './server.ts'
import type { ServeOptions, TestServer } from './server.ts'

/** The title of {@link checkDevices}. */
export const devicesTitle =
  'two processes share device codes: one session enters a code, and it gives tokens once'

/** Lets two users approve one device through two processes while it asks for tokens. */
export async function checkDevices(storage: Storage): Promise<void> {
  const [one, other] = [
    serve({ storage, server: withDevice }),
    serve({ storage, server: withDevice }),
  ]
  const { device_code: code, user_code: userCode } = await askForCode(one)
  const names = [crypto.randomUUID(), crypto.randomUUID()] as const
  const browsers = [await browseAs(one, names[0]), await browseAs(other, names[1])] as const
  const entered = await Promise.all([
    enter(browsers[0], userCode),
    enter(browsers[1], userCode),
    poll(other, code),
  ])
  expect(entered.filter(({ status }) => status === 200)).toHaveLength(1)
  const index = entered[0]?.status === 200 ? 0 : 1
  const form = { ...(await readForm(entered[index])), decision: 'allow' }
  const [allowed] = await Promise.all([browsers[index].post('/device', form), poll(one, code)])
  expect(allowed.status).toBe(200)
  const polled = await Promise.all(
    Array.from({ length: 10 }, (_, i) => poll(i % 2 === 0 ? one : other, code)),
  )
  const [good, ...more] = polled.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  if (!good) throw new Error('expected that one request succeeds')
  const { refresh_token: token } = await readTokens(good)
  expect((await refresh(other, token, { client_id: tool.id })).status).toBe(200)
  const user = await storage.getUserByAccount('passport', names[index])
  expect(await one.auth.grants.list(user?.id ?? '')).toMatchObject([{ clientId: tool.id }])
}

/** The title of {@link checkGrants}. */
export const grantsTitle =
  'two processes share codes and refresh tokens: each code works once, and refreshes have one successor'

const limits = { reusesPerGrant: false } as const

/** Lets a client act for a user of a storage, from the consent to the end of the grant. */
export async function checkGrants(storage: Storage): Promise<void> {
  const [one, other] = [
    serve({ storage, server: { limits } }),
    serve({ storage, server: { limits } }),
  ]
  const alternate = <T>(work: (server: typeof one) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 40 }, (_, i) => work(i % 2 === 0 ? one : other)))
  const name = crypto.randomUUID()
  const { fields } = await getCode(await browseAs(one, name))
  const redeemed = await alternate(({ post }) => post('/oauth/token', fields))
  const [good, ...more] = redeemed.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  if (!good) throw new Error('expected that one request succeeds')
  const { refresh_token: first } = await readTokens(good)

  const refreshed = await alternate(async (server) => readTokens(await refresh(server, first)))
  const [second = '', ...others] = new Set(refreshed.map((each) => each.refresh_token))
  expect(others).toEqual([])
  const { refresh_token: third } = await readTokens(await refresh(other, second))

  const user = await storage.getUserByAccount('passport', name)
  const userId = user?.id ?? ''
  expect(await other.auth.grants.list(userId)).toMatchObject([{ clientId: 'notes-app' }])
  await one.auth.sessions.revokeAll(userId)
  expect(await readError(await refresh(other, third))).toEqual([400, 'invalid_grant'])
  expect(await other.auth.grants.list(userId)).toEqual([])
}

/** The title of {@link checkMostGrants}. */
export const mostGrantsTitle =
  'two processes redeem 25 codes of one user and client simultaneously: exactly 20 grants are left, of the newest codes'

/** Redeems codes in two processes, while the user has an older grant of the client. */
export async function checkMostGrants(storage: Storage): Promise<void> {
  const options: ServeOptions = { storage, server: { consent: () => 'granted' } }
  const [one, other] = [serve(options), serve(options)]
  const name = crypto.randomUUID()
  const browser = await browseAs(one, name)
  const oldest = await readTokens(await one.post('/oauth/token', (await getCode(browser)).fields))
  const codes: Readonly<Record<string, string>>[] = []
  for (let i = 0; i < 25; i++) {
    for (const server of [one, other]) server.wait(1)
    codes.push((await getCode(browser)).fields)
  }
  const tokens = await Promise.all(
    codes.map(async (fields, i) =>
      readTokens(await (i % 2 === 0 ? one : other).post('/oauth/token', fields)),
    ),
  )
  const user = await storage.getUserByAccount('passport', name)
  const left = await one.auth.grants.list(user?.id ?? '')
  const ids = tokens.map((each) => each.refresh_token.split('.')[0] ?? '')
  expect(left.map(({ id }) => id)).toEqual(ids.slice(-20).toReversed())
  const statuses = await Promise.all(
    [oldest, ...tokens].map(async (each) => (await refresh(other, each.refresh_token)).status),
  )
  expect(statuses).toEqual([...Array<number>(6).fill(400), ...Array<number>(20).fill(200)])
}

/** Creates a service whose application stores clients. */
export function serveStored(
  storage: Storage,
  over: Partial<AuthorizationServerOptions> = {},
): TestServer & { readonly clients: AuthClients } {
  const server = serve({ storage, server: { storedClients: storedClients(), ...over } })
  const { clients } = server.auth as unknown as StoredClientMembers
  return { ...server, clients }
}

/** The title of {@link checkClients}. */
export const clientsTitle =
  'two processes share stored clients: of two rotations neither secret is lost, and a removal ends all'

/** Creates, rotates and removes a client of a storage. */
export async function checkClients(storage: Storage): Promise<void> {
  const [one, other] = [serveStored(storage), serveStored(storage)]
  const { id } = await one.clients.create({
    name: 'Partner',
    redirectUris: [redirectUri],
    authentication: 'client_secret_post',
  })
  expect(await other.clients.list()).toContainEqual(
    expect.objectContaining({ id, name: 'Partner' }),
  )
  const secrets = await Promise.all([one.clients.rotate(id), other.clients.rotate(id)])
  expect(new Set(secrets).size).toBe(2)
  for (const secret of secrets) {
    const fields = { client_id: id, client_secret: secret ?? '', token: 'x' }
    expect((await one.post('/oauth/revoke', fields)).status).toBe(200)
  }
  const browser = await browseAs(one, crypto.randomUUID())
  const { fields } = await getCode(browser, { client_id: id })
  const proof = { ...fields, client_secret: secrets[0] ?? '' }
  // A removal while a code is redeemed: whoever is first, nothing of the client is left.
  const [redeemed] = await Promise.all([other.post('/oauth/token', proof), one.clients.remove(id)])
  expect([200, 400, 401]).toContain(redeemed.status)
  expect(await readError(await one.post('/oauth/token', proof))).toEqual([401, 'invalid_client'])
  expect((await other.clients.list()).map((each) => each.id)).not.toContain(id)
}
