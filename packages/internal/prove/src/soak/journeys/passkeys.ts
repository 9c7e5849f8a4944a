import type { Browser } from '@latchkey/core/testing/browser'
import { createDevice } from '../../../../../passkeys/test/support/device.ts'
import type { CeremonyOptions, Device } from '../../../../../passkeys/test/support/device.ts'
import { expectEqual, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { ORIGIN } from '../service.ts'
import { signInByEmail, signOut } from './steps.ts'

type Fields = Readonly<Record<string, string>>

const json = { headers: { accept: 'application/json' } }

/** Adds a passkey, signs in and confirms with it, and tries answers that are forged, late or repeated. */
export async function* usePasskeys(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await signInByEmail(user, browser)
  const device = await createDevice(ORIGIN)
  const creation = await ask(browser, { link: 'true' })
  await expectStatus('a new passkey', post(browser, await device.create(creation)), 200)
  await signOut(user, browser)
  await signIn(browser, device)
  await user.expectSignedIn(browser, 'a passkey')
  const confirmation = await ask(browser, { confirm: 'true' })
  await expectStatus('a confirmation', post(browser, await device.get(confirmation)), 200)
  await renamePasskey(browser)
  await signOut(user, browser)
  await refuse(user, browser, device)
  const late = await device.get(await ask(browser))
  yield 1000
  await expectStatus('a late answer', post(browser, late), 401)
  await user.expectSignedOut(browser, 'a late answer')
  await signIn(browser, device)
  await user.expectSignedIn(browser, 'a passkey later')
}

async function signIn(browser: Browser, device: Device): Promise<void> {
  const answer = await device.get(await ask(browser))
  await expectStatus('a sign-in by passkey', post(browser, answer), 200)
}

async function ask(browser: Browser, fields: Fields = {}): Promise<CeremonyOptions> {
  const asked = browser.submit('/signin/passkey', fields, json)
  const response = await expectStatus('the options of a passkey', asked, 200)
  const { publicKey } = (await response.json()) as { readonly publicKey: CeremonyOptions }
  return publicKey
}

function post(browser: Browser, answer: object): Promise<Response> {
  const fields = { credential: JSON.stringify(answer) }
  return browser.submit('/callback/passkey', fields, json)
}

async function refuse(user: JourneyUser, browser: Browser, device: Device): Promise<void> {
  const foreign = await device.get(await ask(browser), {
    clientData: { origin: 'https://evil.example' },
  })
  await expectStatus('an answer of another origin', post(browser, foreign), 401)
  const forged = await device.get(await ask(browser), {
    toSignature: (signature) => signature.map((byte, i) => (i === 20 ? byte ^ 1 : byte)),
  })
  await expectStatus('a forged answer', post(browser, forged), 401)
  const stranger = await createDevice(ORIGIN)
  const unknown = await stranger.get(await ask(browser))
  await expectStatus('an unknown passkey', post(browser, unknown), 401)
  await ask(browser)
  await expectStatus('a malformed answer', post(browser, { id: 'garbage' }), 400)
  await user.expectSignedOut(browser, 'refused passkeys')
}

async function renamePasskey(browser: Browser): Promise<void> {
  const account = await browser.json('/account', json)
  const [passkey] = account['passkeys'] as readonly { readonly id: string }[]
  const fields = { action: 'renamePasskey', id: passkey?.id ?? '', name: 'My phone' }
  const { status } = await browser.submit('/account', fields)
  expectEqual('a name of a passkey', status, 303)
}
