/** Processes that are killed between two calls of the storage, while a client redeems a code and refreshes. */
import type { Storage } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { requireGrants } from '@latchkey/testing/grants-contract'
import { startProcess } from './processes.ts'
import type { Process, ProcessOptions } from './processes.ts'
import { browseAs, getCode, readError, readTokens, refresh, serve } from './server.ts'
import type { TestServer } from './server.ts'

/** The beginnings and ends of five calls for a code, and four for each of two refreshes. */
const POINTS = 26
/** Processes that run simultaneously. */
const LANES = 6
/** Seconds until a client tries again: fewer than a code lives, and than a superseded token is answered. */
const PAUSE = 50

/** What clients found after the restart. */
export interface KillFigures {
  readonly kills: number
  /** Clients that had a refresh token, and refreshed. */
  readonly refreshed: number
  /** Clients whose code was not spent, and worked. */
  readonly redeemed: number
  /** Clients whose code was spent, and that began again. */
  readonly begunAgain: number
  readonly violations: readonly string[]
}

/** A client whose process was killed. */
interface Client {
  readonly browser: Browser
  readonly fields: Readonly<Record<string, string>>
  /** The newest refresh token that it has received. */
  readonly token: string | undefined
  readonly killedAt: number
}

type Outcome = 'refreshed' | 'redeemed' | 'begunAgain'

/** Kills processes, starts one again, and lets every client go on. */
export async function killProcesses(
  storage: Storage,
  { kills, ...options }: ProcessOptions & { readonly kills: number },
): Promise<KillFigures> {
  const server = serve({ storage })
  const points = Array.from({ length: kills }, (_, i) => 1 + (i % POINTS)).values()
  const clients: Client[] = []
  const work = async (): Promise<void> => {
    for (const point of points) clients.push(await useUntilKilled(server, options, point))
  }
  await Promise.all(Array.from({ length: LANES }, work))
  server.wait(PAUSE)
  await using restarted = await startProcess(server, options)
  const found = { refreshed: 0, redeemed: 0, begunAgain: 0 }
  const violations: string[] = []
  for (const client of clients) {
    try {
      found[await goOn(server, restarted, client)]++
    } catch (thrown) {
      violations.push(`killed at ${client.killedAt}: ${String(thrown)}`)
    }
  }
  return { kills: clients.length, ...found, violations }
}

async function useUntilKilled(
  server: TestServer,
  { file, env }: ProcessOptions,
  killedAt: number,
): Promise<Client> {
  const browser = await browseAs(server, crypto.randomUUID())
  const { fields } = await getCode(browser)
  await using killed = await startProcess(server, {
    file,
    env: { ...env, KILL_AT: String(killedAt) },
  })
  let token: string | undefined
  const ask = (): Promise<Response> =>
    token === undefined ? killed.post('/oauth/token', fields) : refresh(killed, token)
  try {
    for (;;) token = (await readTokens(await ask())).refresh_token
  } catch (thrown) {
    // No answer, or a part of one.
    if (!(thrown instanceof TypeError)) throw thrown
  }
  return { browser, fields, token, killedAt }
}

/** Does what a client does after its server was away. */
async function goOn(server: TestServer, process: Process, client: Client): Promise<Outcome> {
  const { browser, fields, token } = client
  if (token !== undefined) {
    await readTokens(await refresh(process, token))
    return 'refreshed'
  }
  const isSpent = await checkEnd(server, fields['code'] ?? '')
  const again = await process.post('/oauth/token', fields)
  if (!isSpent) {
    await readTokens(again)
    return 'redeemed'
  }
  expectEqual(await readError(again), [400, 'invalid_grant'])
  const { fields: next } = await getCode(browser)
  await readTokens(await process.post('/oauth/token', next))
  return 'begunAgain'
}

/** Returns whether the code of a grant was spent, and checks when the grant ends: with the code, or after `idle`. */
async function checkEnd({ storage, now }: TestServer, code: string): Promise<boolean> {
  const grants = requireGrants(storage)
  const [id = ''] = code.split('.')
  const grant = (await grants.getGrantAndUser(id, now()))?.grant
  if (!grant) throw new Error('the grant has ended')
  const { redeemedAt }: { redeemedAt?: number } = JSON.parse(grant.data)
  const isSpent = redeemedAt !== undefined
  const end = grant.createdAt + (isSpent ? 30 * 86_400 : 60)
  const isThere = async (at: number): Promise<boolean> =>
    (await grants.getGrantAndUser(id, at)) !== undefined
  expectEqual([await isThere(end - 1), await isThere(end)], [true, false])
  return isSpent
}

function expectEqual(found: unknown, wanted: unknown): void {
  const [text, expected] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (text !== expected) throw new Error(`expected ${expected}, found ${text}`)
}
