/** What needs a session and often a second proof: second factors, confirmation, passkeys and passwords. */
import { TOTP, URI } from 'otpauth'
import { createDevice } from '../support/device.ts'
import { authenticate, isUnfinished } from './authenticate.ts'
import type { Asked } from './authenticate.ts'
import { wait } from './invariants.ts'
import { submit, toForm, visit } from './requests.ts'
import { origin, REMEMBERED } from './service.ts'
import type { Person, Way } from './service.ts'
import { endAll, findSignedIn, listWays } from './sessions.ts'
import type { SignedIn } from './sessions.ts'
import { createPassword, getPasskeyOptions, openLink, openTab } from './ways.ts'
import { signInAsMember, signInAt, signInByPasskey, signInByPassword } from './ways.ts'
import type { Client, Delivery, Keys, Reply, Visit, World } from './world.ts'

/** The methods that prove a second factor. */
export type Method = 'totp' | 'recovery' | 'passkey'

/** Lists the methods by which the person of a user can prove a second factor. */
export function listMethods({ app, devices, codes }: Keys): readonly Method[] {
  const can = { totp: app !== undefined, passkey: devices.length > 0, recovery: codes.length > 0 }
  return (['totp', 'passkey', 'recovery'] as const).filter((method) => can[method])
}

/**
 * Proves only the first factor of a user, as an attacker who has stolen it. Returns whether the service asks for the
 * second one. The request says nothing of who proves anything: no session may begin.
 */
export async function proveFirst(client: Client, userId: string): Promise<boolean> {
  const keys = client.world.keys.get(userId)
  if (!keys?.hasSecond || (client.remembered.get(userId) ?? 0) > client.world.ports.now)
    return false
  const { person } = keys
  const ways = listWays(keys, userId)
  const provider = ways.find((way) => way === 'passport' || way === 'other')
  if (provider === 'passport' || provider === 'other') {
    const tab = await openTab(client, { person, provider, purpose: 'signIn' })
    return tab !== undefined && isUnfinished(await visit(client, { path: tab.callbackUrl }))
  }
  const { email, password, name, memberPassword } = person
  if (ways.includes('passwords') && password !== undefined) {
    const form = { email, password }
    return isUnfinished(await submit(client, { path: '/signin/passwords', form }))
  }
  if (!ways.includes('members')) return false
  const form = { name, password: memberPassword }
  return isUnfinished(await submit(client, { path: '/signin/members', form }))
}

/** Completes what waits for a second factor in a browser. */
export async function proveSecond(
  client: Client,
  method: Method,
  { delivery = 'arrives', remembers = false }: { delivery?: Delivery; remembers?: boolean } = {},
): Promise<boolean> {
  const { world } = client
  const { unfinished } = client
  const keys = world.keys.get(unfinished?.userId ?? '')
  const proof = keys && (await createSecondProof(client, keys, method))
  if (!unfinished || !keys || !proof) return false
  const { userId = '', ...known } = unfinished
  const form = { ...proof.form, ...(remembers && { remember: 'true' }) }
  const request = await toForm(client, { ...proof, form })
  const attempt = { ...known, factors: 2, second: userId, delivery, request } as const
  const reply = await authenticate(client, attempt)
  if (!reply?.began) return false
  if (delivery !== 'lost' && delivery !== 'late') client.unfinished = undefined
  if (remembers && known.purpose === 'signIn')
    client.remembered.set(userId, world.ports.now + REMEMBERED)
  const codes = keys.codes.filter((code) => method !== 'recovery' || code !== proof.form['code'])
  world.keys.set(userId, { ...keys, codes })
  // An attacker who has the first factor of the user tries it again.
  const replay = async (other: Client): Promise<void> => {
    if (await proveFirst(other, userId)) await submit(other, { ...proof, form })
  }
  world.spent.push({ kind: `a second factor by ${method}`, replay })
  return true
}

/** Returns what a person posts to prove a second factor that they hold. */
export async function createSecondProof(
  client: Client,
  keys: Keys,
  method: Method,
): Promise<(Visit & { readonly form: Readonly<Record<string, string>> }) | undefined> {
  if (method === 'passkey') {
    const [device] = keys.devices
    const options = device && (await getPasskeyOptions(client, { second: 'true' }))
    if (!device || !options) return undefined
    const form = { credential: JSON.stringify(await device.get(options)) }
    return { path: '/callback/passkey', form, accepts: 'json' }
  }
  const code = method === 'totp' ? getNextCode(client.world, keys) : keys.codes[0]
  return code === undefined ? undefined : { path: `/signin/${method}`, form: { code } }
}

/** Waits until an app shows a code that was not used yet. */
function getNextCode(world: World, { app }: Keys): string | undefined {
  if (!app) return undefined
  wait(world, 30)
  const code = app.generate({ timestamp: world.ports.time })
  world.hide(code, 'a code')
  return code
}

/** Signs a person in, with both factors if the service asks; undefined if it refuses. */
export async function ensureSignedIn(
  client: Client,
  person: Person,
): Promise<SignedIn | undefined> {
  const before = await findSignedIn(client)
  if (before?.keys.person === person) return before
  if (!(await signInFirst(client, person))) return undefined
  const first = await findSignedIn(client)
  if (first?.keys.person === person) return first
  const keys = client.world.keys.get(client.unfinished?.userId ?? '')
  const [method] = keys ? listMethods(keys) : []
  if (method) await proveSecond(client, method)
  const after = await findSignedIn(client)
  return after?.keys.person === person ? after : undefined
}

/** Proves the first factor of a person, in a way in which they have signed in before, or else by an identity provider. */
export function signInFirst(client: Client, person: Person): Promise<boolean> {
  const way = [...person.users.keys()].find((each) => each !== 'passkey') ?? 'passport'
  return signInBy(client, way, { person })
}

function signInBy(client: Client, way: Way, asked: Asked): Promise<boolean> {
  switch (way) {
    case 'passport':
    case 'other':
      return signInAt(client, way, asked)
    case 'members':
      return signInAsMember(client, asked)
    case 'passwords':
      return signInByPassword(client, asked)
    case 'passkey':
      return signInByPasskey(client, asked)
    case 'email':
      return openLink({ asker: client, opener: client }, asked)
  }
}

/** Confirms by a way in which the user of a browser signs in, and by the second factor if the service asks (I-51). */
export async function confirm(client: Client, delivery: Delivery = 'arrives'): Promise<boolean> {
  const signedIn = await findSignedIn(client)
  const [way] = signedIn ? listWays(signedIn.keys, signedIn.userId) : []
  if (!signedIn || way === undefined || way === 'email') return false
  const asked = { person: signedIn.keys.person, delivery, purpose: 'confirm' } as const
  if (!(await signInBy(client, way, asked))) return false
  if (client.unfinished?.purpose !== 'confirm') return true
  const [method] = listMethods(signedIn.keys)
  return method !== undefined && proveSecond(client, method)
}

/** Posts a form, after a confirmation if the service asks for one. */
export async function submitConfirmed(client: Client, request: Visit): Promise<Reply> {
  const reply = await submit(client, request)
  const isOld = reply.error === 'ConfirmationRequired' || /[?&]confirm=true/.test(reply.url ?? '')
  if (!isOld || !(await confirm(client))) return reply
  return submit(client, request)
}

/** Returns whether a reply says that a change was made. */
export function isDone({ status, error }: Reply): boolean {
  return status < 400 && error === undefined
}

/** Notes a second factor that the service has stored, and the recovery codes that the reply shows. */
function addSecond(
  world: World,
  { userId, sessionId, keys }: SignedIn,
  added: Partial<Pick<Keys, 'app' | 'devices'>>,
  { text }: Reply,
): void {
  const codes = text.startsWith('{')
    ? ((JSON.parse(text) as { readonly codes?: string[] }).codes ?? [])
    : [...text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code = '']) => code)
  for (const code of codes) world.hide(code, 'a recovery code')
  if (!keys.hasSecond) endAll(world, userId, 'its user has a second factor now', sessionId)
  const kept = codes.length > 0 ? { codes } : {}
  world.keys.set(userId, { ...keys, ...added, ...kept, hasSecond: true })
  // A change of the factors ends what browsers remember of them (I-52.9).
  for (const client of world.clients) client.remembered.delete(userId)
}

/** Enrols an app in the session of a browser. */
export async function enrolApp(client: Client): Promise<boolean> {
  const { world } = client
  const form = { link: 'true' }
  const begun = await submitConfirmed(client, { path: '/signin/totp', form })
  const signedIn = await findSignedIn(client)
  if (begun.error !== undefined || !signedIn) return false
  client.unfinished = undefined
  const page = await visit(client, { path: '/signin?second=true' })
  const [, url] = /href="(otpauth:[^"]+)"/.exec(page.text) ?? []
  if (url === undefined) return false
  const app = URI.parse(url.replaceAll('&amp;', '&'))
  if (!(app instanceof TOTP)) throw new Error('expected a key of an authenticator app')
  const code = app.generate({ timestamp: world.ports.time })
  world.hide(code, 'a code')
  const done = await submit(client, { path: '/signin/totp', form: { code } })
  if (!isDone(done)) return false
  addSecond(world, signedIn, { app }, done)
  world.hide(app.secret.base32, 'the key of an app')
  client.known.add(`second ${signedIn.userId}`)
  return true
}

/** Enrols an app of a person who has no second factor yet. */
export async function ensureApp(client: Client, person: Person): Promise<void> {
  if (findSecond(client.world, person)) return
  if (await ensureSignedIn(client, person)) await enrolApp(client)
}

/** Returns a user of a person that has a second factor. */
export function findSecond(
  world: World,
  person: Person,
): { readonly userId: string; readonly keys: Keys } | undefined {
  const [userId, keys] =
    [...world.keys].find(([, each]) => each.person === person && each.hasSecond) ?? []
  return userId !== undefined && keys ? { userId, keys } : undefined
}

/** Adds a passkey of a person, in their session. */
export async function addPasskey(client: Client, person: Person): Promise<boolean> {
  if (!(await ensureSignedIn(client, person))) return false
  let options = await getPasskeyOptions(client, { link: 'true' })
  if (!options && (await confirm(client)))
    options = await getPasskeyOptions(client, { link: 'true' })
  const signedIn = await findSignedIn(client)
  if (!options || !signedIn) return false
  const device = await createDevice(origin)
  const form = { credential: JSON.stringify(await device.create(options)) }
  const reply = await submit(client, { path: '/callback/passkey', form, accepts: 'json' })
  if (!isDone(reply)) return false
  addSecond(client.world, signedIn, { devices: [...signedIn.keys.devices, device] }, reply)
  person.users.set('passkey', signedIn.userId)
  return true
}

/** Changes the password of a person, or adds one, in their session. */
export async function changePassword(client: Client, person: Person): Promise<boolean> {
  if (!(await ensureSignedIn(client, person))) return false
  const password = createPassword(client.world)
  const form = { action: 'change', password }
  const reply = await submitConfirmed(client, { path: '/signin/passwords', form })
  const signedIn = await findSignedIn(client)
  if (!isDone(reply) || !signedIn) return false
  person.password = password
  person.users.set('passwords', signedIn.userId)
  endAll(client.world, signedIn.userId, 'the password was changed', signedIn.sessionId)
  return true
}
