/** Adding what signs in or proves a second factor: an app, a passkey, a password. */
import { TOTP, URI } from 'otpauth'
import { createDevice } from '../../../../../passkeys/test/support/device.ts'
import { toSecondName } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import type { Keys, Person } from '../people.ts'
import { submit, visit } from '../replies.ts'
import { origin } from '../service.ts'
import { endAll } from '../sessions.ts'
import { findSignedIn } from '../signed-in.ts'
import type { World } from '../world.ts'
import { confirm, submitConfirmed } from './confirm.ts'
import { getPasskeyOptions, toAnswerForm } from './passkey.ts'
import { createPassword } from './password.ts'
import { addSecond } from './second-factor.ts'
import { ensureSignedIn } from './sign-in.ts'

/** Enrols an app in the session of a browser. */
export async function enrolApp(world: World, browser: Browser): Promise<boolean> {
  const form = { link: 'true' }
  const begun = await submitConfirmed(world, browser, { path: '/signin/totp', form })
  const signedIn = await findSignedIn(world, browser)
  if (begun.error !== undefined || !signedIn) return false
  browser.unfinished = undefined
  const page = await visit(world, browser, { path: '/signin?second=true' })
  const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page.text) ?? []
  if (url === '') return false
  const app = URI.parse(url.replaceAll('&amp;', '&'))
  if (!(app instanceof TOTP)) throw new Error('expected a key of an authenticator app')
  const code = app.generate({ timestamp: world.ports.time })
  world.hide(code, 'a code')
  const done = await submit(world, browser, { path: '/signin/totp', form: { code } })
  if (done.status >= 400 || done.error !== undefined) return false
  addSecond(world, { ...signedIn, added: { app } }, done)
  world.hide(app.secret.base32, 'the key of an app')
  browser.known.add(toSecondName(signedIn.userId))
  return true
}

/** Adds a passkey of a person, in their session. */
export async function addPasskey(world: World, browser: Browser, person: Person): Promise<boolean> {
  if (!(await ensureSignedIn(world, browser, person))) return false
  let asked = await getPasskeyOptions(world, browser, { link: 'true' })
  if (!asked && (await confirm(world, browser)))
    asked = await getPasskeyOptions(world, browser, { link: 'true' })
  const signedIn = await findSignedIn(world, browser)
  if (!asked || !signedIn) return false
  const device = await createDevice(origin)
  const form = toAnswerForm(await device.create(asked))
  const reply = await submit(world, browser, { path: '/callback/passkey', form, accepts: 'json' })
  if (reply.status !== 200 || reply.error !== undefined) return false
  const devices = [...signedIn.keys.devices, device]
  addSecond(world, { ...signedIn, added: { devices } }, reply)
  person.users.set('passkey', signedIn.userId)
  return true
}

/** Changes the password of a person, or adds one, in their session. */
export async function changePassword(
  world: World,
  browser: Browser,
  person: Person,
): Promise<boolean> {
  if (!(await ensureSignedIn(world, browser, person))) return false
  const password = createPassword(world)
  const form = { action: 'change', password }
  const reply = await submitConfirmed(world, browser, { path: '/signin/passwords', form })
  const signedIn = await findSignedIn(world, browser)
  if (reply.status >= 400 || reply.error !== undefined || !signedIn) return false
  person.password = password
  person.users.set('passwords', signedIn.userId)
  endAll(world, signedIn.userId, 'the password was changed', signedIn.sessionId)
  return true
}

/** Enrols an app of a person who has no second factor yet. */
export async function ensureApp(world: World, browser: Browser, person: Person): Promise<void> {
  if (findSecond(world, person.name)) return
  if (await ensureSignedIn(world, browser, person)) await enrolApp(world, browser)
}

/** Returns a user of a person that has a second factor, by its id. */
export function findSecond(
  world: World,
  name: Person['name'],
): readonly [string, Keys] | undefined {
  return [...world.keys].find(([, { person, hasSecond }]) => person.name === name && hasSecond)
}
