/** Second factors: what proves them, and what follows when one is added. */
import { authenticate } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import type { Keys } from '../people.ts'
import { submit, toForm } from '../replies.ts'
import type { Delivery, Reply, Visit } from '../messages.ts'
import { endAll } from '../sessions.ts'
import type { World } from '../world.ts'
import { proveFirst } from './first-factor.ts'
import { getPasskeyOptions, toAnswerForm } from './passkey.ts'

/** The methods that prove a second factor. */
export type Method = 'totp' | 'recovery' | 'passkey'

/** Seconds until an app shows the next code. */
const STEP = 30

interface Added {
  readonly userId: string
  readonly sessionId: string
  readonly keys: Keys
  readonly added: Partial<Pick<Keys, 'app' | 'devices'>>
}

/** Notes a second factor that the service has stored, and the recovery codes that the reply shows. */
export function addSecond(
  world: World,
  { userId, sessionId, keys, added }: Added,
  reply: Reply,
): void {
  const codes = readRecoveryCodes(reply.text)
  for (const code of codes) world.hide(code, 'a recovery code')
  if (!keys.hasSecond) endAll(world, userId, 'its user has a second factor now', sessionId)
  const kept = codes.length > 0 ? { codes } : {}
  world.keys.set(userId, { ...keys, ...added, ...kept, hasSecond: true })
  forgetRemembered(world, userId)
}

/** A change of the factors ends what browsers remember of them (I-52.9). */
function forgetRemembered(world: World, userId: string): void {
  for (const browser of world.browsers) browser.remembered.delete(userId)
}

function readRecoveryCodes(text: string): readonly string[] {
  if (text.startsWith('{')) return (JSON.parse(text) as { readonly codes?: string[] }).codes ?? []
  return [...text.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code = '']) => code)
}

/** Completes what waits for a second factor in a browser. */
export async function proveSecond(
  world: World,
  browser: Browser,
  { method, delivered, remembers }: SecondProof,
): Promise<boolean> {
  const { unfinished } = browser
  const keys = world.keys.get(unfinished?.userId ?? '')
  if (!unfinished || !keys) return false
  const request = await toSecondRequest(world, browser, { keys, method, remembers })
  if (!request) return false
  const { person, way, purpose, userId = '' } = unfinished
  const attempt = {
    person,
    browser,
    way,
    purpose,
    delivery: delivered,
    factors: 2,
    isSecond: true,
    request,
  } as const
  const { outcome } = await authenticate(world, attempt)
  if (outcome !== 'begun') return false
  if (delivered !== 'lost' && delivered !== 'late') browser.unfinished = undefined
  if (remembers && purpose === 'signIn')
    browser.remembered.set(userId, world.ports.now + REMEMBERED)
  if (!world.isUnclear) spend(world, { userId, keys, method, form: request.form ?? {} })
  return true
}

/** Seconds for which a browser spares the second factor. */
const REMEMBERED = 7 * 86_400

interface SecondProof {
  readonly method: Method
  readonly delivered: Delivery
  readonly remembers: boolean
}

interface AskedSecond extends Pick<SecondProof, 'method' | 'remembers'> {
  readonly keys: Keys
}

async function toSecondRequest(
  world: World,
  browser: Browser,
  { keys, method, remembers }: AskedSecond,
): Promise<Visit | undefined> {
  const remember = remembers ? { remember: 'true' } : {}
  if (method === 'passkey') {
    const [device] = keys.devices
    const asked = device && (await getPasskeyOptions(world, browser, { second: 'true' }))
    if (!device || !asked) return undefined
    const form = { ...toAnswerForm(await device.get(asked)), ...remember }
    return toForm(world, browser, { path: '/callback/passkey', form, accepts: 'json' })
  }
  const code = method === 'totp' ? getNextCode(world, keys) : keys.codes[0]
  if (code === undefined) return undefined
  return toForm(world, browser, { path: `/signin/${method}`, form: { code, ...remember } })
}

/** Waits until an app shows a code that was not used yet. */
export function getNextCode(world: World, { app }: Keys): string | undefined {
  if (!app) return undefined
  world.ports.time += STEP * 1000
  const code = app.generate({ timestamp: world.ports.time })
  world.hide(code, 'a code')
  return code
}

interface UsedSecond {
  readonly userId: string
  readonly keys: Keys
  readonly method: Method
  readonly form: Readonly<Record<string, string>>
}

/** Notes that a code or an answer was used: an attacker who has the first factor of the user tries it again. */
function spend(world: World, { userId, keys, method, form }: UsedSecond): void {
  if (method === 'recovery') {
    const codes = keys.codes.filter((code) => code !== form['code'])
    world.keys.set(userId, { ...keys, codes })
  }
  const { csrfToken: _, ...fields } = form
  const replay = async (browser: Browser): Promise<void> => {
    if (world.keys.get(userId)?.hasSecond !== true) return
    if (!(await proveFirst(world, browser, userId))) return
    const path = method === 'passkey' ? '/callback/passkey' : `/signin/${method}`
    await submit(world, browser, { path, form: fields, accepts: 'json' })
  }
  world.spent.push({ kind: `a second factor by ${method}`, replay })
}

/** Lists the methods by which the person of a user can prove a second factor. */
export function listMethods({ app, devices, codes }: Keys): readonly Method[] {
  return [
    ...(app ? (['totp'] as const) : []),
    ...(devices.length > 0 ? (['passkey'] as const) : []),
    ...(codes.length > 0 ? (['recovery'] as const) : []),
  ]
}
