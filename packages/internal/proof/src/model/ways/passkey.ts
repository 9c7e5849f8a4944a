/** Signing in and confirming by a passkey (I-56). */
import type { ResponseJson } from '../../../../../passkeys/test/support/authenticator.ts'
import type { CeremonyOptions, Device } from '../../../../../passkeys/test/support/device.ts'
import { authenticate } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import type { Person } from '../people.ts'
import { submit, toForm, visit } from '../replies.ts'
import { getCookies } from '../sessions.ts'
import { findSignedIn } from '../signed-in.ts'
import type { World } from '../world.ts'
import type { Asked } from './member.ts'

const path = '/callback/passkey'

/** Asks for the options of a ceremony; undefined if they are refused. */
export async function getPasskeyOptions(
  world: World,
  browser: Browser,
  form: Readonly<Record<string, string>> = {},
): Promise<CeremonyOptions | undefined> {
  const reply = await submit(world, browser, { path: '/signin/passkey', form, accepts: 'json' })
  const body = JSON.parse(reply.text) as { readonly publicKey?: CeremonyOptions }
  return body.publicKey
}

/** Returns the form that posts the answer of an authenticator. */
export function toAnswerForm(answer: ResponseJson): Readonly<Record<string, string>> {
  return { credential: JSON.stringify(answer) }
}

/** Signs in, or confirms, by the first passkey of a person. */
export async function signInByPasskey(
  world: World,
  browser: Browser,
  { person, delivered, purpose }: Asked,
): Promise<boolean> {
  const isConfirming = purpose === 'confirm'
  const userId = isConfirming ? (await findSignedIn(world, browser))?.userId : undefined
  const device = findDevice(world, person, userId)
  if (!device) return false
  const options = isConfirming ? { confirm: 'true' } : {}
  const asked = await getPasskeyOptions(world, browser, options)
  if (!asked) return false
  const form = toAnswerForm(await device.get(asked))
  const request = await toForm(world, browser, { path, form, accepts: 'json' })
  const cookie = getCookies(world, browser)
  // A verified passkey counts as two factors (I-52.7).
  const proof = { way: 'passkey', purpose, factors: 2 } as const
  const attempt = { ...proof, person, browser, delivery: delivered, request }
  const { outcome } = await authenticate(world, attempt)
  if (outcome === 'refused' || world.isUnclear) return false
  const replay = async (other: Browser): Promise<void> => {
    await visit(world, other, { ...request, cookie })
    await getPasskeyOptions(world, other)
    await submit(world, other, { path, form, accepts: 'json' })
  }
  world.spent.push({ kind: 'the answer of a passkey', replay })
  return true
}

/** Returns the first passkey of a person, or of one user if an id is given. */
function findDevice(world: World, person: Person, userId: string | undefined): Device | undefined {
  const devices = [...world.keys].flatMap(([id, keys]) =>
    keys.person === person && (userId ?? id) === id ? keys.devices : [],
  )
  return devices[0]
}
