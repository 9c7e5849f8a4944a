import { describe, expect, test } from 'vitest'
import { serveFile } from './support/database.ts'
import type { BackedUp } from './support/database.ts'
import { ended } from './support/mails.ts'
import {
  browseAs,
  getCode,
  getTokens,
  readError,
  readTokens,
  refresh,
  visit,
} from './support/server.ts'

const HOUR = 3600
const refused = [400, 'invalid_grant'] as const
const otherTimeLine = 'a refresh token is of another time line, as after a backup was restored'

/** Refreshes a number of times, 100 seconds apart, and returns each new token. */
async function advance(
  { server }: BackedUp,
  token: string,
  times: number,
): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let i = 0; i < times; i++) {
    server().wait(100)
    const reply = await refresh(server(), tokens.at(-1) ?? token)
    tokens.push((await readTokens(reply)).refresh_token)
  }
  return tokens
}

/** Checks that a token is refused and logged, as one of another time line, and that its grant lives. */
async function checkOther({ server }: BackedUp, token: string): Promise<void> {
  const before = server().lines.length
  expect(await readError(await refresh(server(), token))).toEqual(refused)
  const lines = server().lines.slice(before)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    { level: 'warn', message: otherTimeLine },
  ])
  expect(server().mails.map(({ subject }) => subject)).not.toContain(ended)
}

describe('the row of a grant is restored, and the client has refreshed five times since (I-66.3)', () => {
  /** A grant whose row is restored: the token of its backup, and the tokens of the time line that is lost. */
  async function restoreGrant() {
    const service = await serveFile()
    const [first = ''] = await advance(
      service,
      (await getTokens(service.server())).refresh_token,
      1,
    )
    const restore = service.backUpGrant(first.split('.')[0] ?? '')
    const lost = await advance(service, first, 5)
    service.server().wait(100)
    restore()
    return { service, current: first, lost }
  }

  test('each newer token is refused and logged, and ends nothing: the token of the backup works', async () => {
    const { service, current, lost } = await restoreGrant()
    for (const token of lost) await checkOther(service, token)
    const [next = ''] = await advance(service, current, 1)
    expect((await refresh(service.server(), next)).status).toBe(200)
  })

  test('both time lines: while one advances, the tokens of the other are of another time line', async () => {
    const { service, current, lost } = await restoreGrant()
    const [second = ''] = lost
    let token = current
    for (const other of lost) {
      const [next = ''] = await advance(service, token, 1)
      token = next
      // As many advances have happened in both.
      expect(token.split('.').slice(0, 2)).toEqual(other.split('.').slice(0, 2))
      await checkOther(service, other)
    }
    // Two advances later its mark is still kept, and differs.
    const [, later = ''] = await advance(service, token, 2)
    await checkOther(service, lost.at(-1) ?? '')
    expect((await refresh(service.server(), later)).status).toBe(200)
    // The mark of this one is not kept: what was superseded so long ago was used again.
    expect(await readError(await refresh(service.server(), second))).toEqual(refused)
    expect(await readError(await refresh(service.server(), later))).toEqual(refused)
    expect(service.server().mails.map(({ subject }) => subject)).toContain(ended)
  })

  test('a token from before the backup was superseded in both: it ends the grant', async () => {
    const service = await serveFile()
    const { refresh_token: oldest } = await getTokens(service.server())
    const [current = ''] = await advance(service, oldest, 1)
    const restore = service.backUpGrant(current.split('.')[0] ?? '')
    await advance(service, current, 5)
    restore()
    expect(await readError(await refresh(service.server(), oldest))).toEqual(refused)
    expect(await readError(await refresh(service.server(), current))).toEqual(refused)
    expect(service.server().mails.map(({ subject }) => subject)).toContain(ended)
  })
})

describe('a backup of an hour ago is restored (I-66.4)', () => {
  /** Alice refreshes within the hour, bob does not, and carol comes in it. */
  async function restoreHour() {
    const service = await serveFile()
    const { server } = service
    const [alice, bob] = [await browseAs(server()), await browseAs(server(), 'bob')]
    const redeem = async (fields: Readonly<Record<string, string>>): Promise<string> =>
      (await readTokens(await server().post('/oauth/token', fields))).refresh_token
    const of = {
      alice: await redeem((await getCode(alice)).fields),
      bob: await redeem((await getCode(bob)).fields),
    }
    const unused = await getCode(bob, { client_id: 'notes-app', prompt: 'consent' })
    const restore = service.backUp()
    await redeem(unused.fields)
    const newer = await advance(service, of.alice, 5)
    const second = await redeem((await getCode(alice)).fields)
    const carol = await getTokens(server(), 'carol')
    server().wait(HOUR - 500)
    return { service, restore, alice, bob, of, unused, newer, second, carol }
  }

  test('clients with newer tokens sign in again, and nothing else breaks', async () => {
    const { service, restore, of, newer, second, carol, unused, ...browsers } = await restoreHour()
    const { server, move } = service
    const last = newer.at(-1) ?? ''
    expect((await refresh(server(), last)).status).toBe(200)
    restore()

    await checkOther(service, last)
    for (const unknown of [second, carol.refresh_token]) {
      expect(await readError(await refresh(server(), unknown))).toEqual(refused)
    }
    expect(await readError(await server().post('/oauth/token', unused.fields))).toEqual(refused)
    expect((await refresh(server(), of.bob)).status).toBe(200)
    expect((await refresh(server(), of.alice)).status).toBe(200)

    const users = (await server().auth.users.list()).users
    expect(users).toHaveLength(2)
    for (const { id } of users) {
      expect(await server().auth.grants.list(id)).toMatchObject([{ clientId: 'notes-app' }])
    }
    for (const browser of [browsers.alice, browsers.bob]) {
      const page = await visit(move(browser), '/account')
      expect(page.status).toBe(200)
      expect((await page.text()).match(/name="id" value="notes-app"/g)).toHaveLength(1)
    }

    for (const subject of ['alice', 'carol']) {
      const again = await getTokens(server(), subject)
      const [next = ''] = await advance(service, again.refresh_token, 1)
      expect((await refresh(server(), next)).status).toBe(200)
    }
    expect(server().mails.map(({ subject }) => subject)).not.toContain(ended)
  })

  test('what was removed within the hour counts again, until all from before are removed', async () => {
    const { service, restore, of } = await restoreHour()
    const { server } = service
    const [id = ''] = of.bob.split('.')
    const found = await server().storage.getGrantAndUser?.(id, server().now())
    await server().auth.grants.remove(found?.user?.id ?? '', id)
    expect(await readError(await refresh(server(), of.bob))).toEqual(refused)
    restore()
    const { refresh_token: revived } = await readTokens(await refresh(server(), of.bob))
    await server().auth.grants.removeAll({ before: server().now() })
    expect(await readError(await refresh(server(), revived))).toEqual(refused)
    expect(await readError(await refresh(server(), of.alice))).toEqual(refused)
    server().wait(1)
    const again = await getTokens(server())
    expect((await refresh(server(), again.refresh_token)).status).toBe(200)
  })
})
