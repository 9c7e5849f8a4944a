/** Confirmation: the user of a session proves again who they are (I-51). */
import type { Browser } from '../browser.ts'
import type { Way } from '../people.ts'
import { submit } from '../replies.ts'
import type { Delivery, Reply, Visit } from '../messages.ts'
import { findSignedIn, listWays } from '../signed-in.ts'
import type { World } from '../world.ts'
import { signInAsMember } from './member.ts'
import { signInByPasskey } from './passkey.ts'
import { signInByPassword } from './password.ts'
import { finishTab, openTab } from './provider.ts'
import { listMethods, proveSecond } from './second-factor.ts'

/** Posts a form, after a confirmation if the service asks for one. */
export async function submitConfirmed(
  world: World,
  browser: Browser,
  request: Visit,
): Promise<Reply> {
  const reply = await submit(world, browser, request)
  if (!isRefusedAsOld(reply) || !(await confirm(world, browser))) return reply
  return submit(world, browser, request)
}

/** Returns whether a reply says that the last proof is too old. */
function isRefusedAsOld({ error, url }: Reply): boolean {
  return error === 'ConfirmationRequired' || /[?&]confirm=true/.test(url ?? '')
}

/** Confirms by a way in which the user of a browser signs in, and by the second factor if the service asks. */
export async function confirm(
  world: World,
  browser: Browser,
  delivered: Delivery = 'arrives',
): Promise<boolean> {
  const signedIn = await findSignedIn(world, browser)
  const [way] = signedIn ? listWays(signedIn.keys, signedIn.userId) : []
  if (!signedIn || way === undefined) return false
  if (!(await confirmBy(world, browser, { way, delivered }))) return false
  if (browser.unfinished?.purpose !== 'confirm') return true
  const [method] = listMethods(signedIn.keys)
  if (!method) return false
  return proveSecond(world, browser, { method, delivered: 'arrives', remembers: false })
}

interface Chosen {
  readonly way: Way
  readonly delivered: Delivery
}

async function confirmBy(
  world: World,
  browser: Browser,
  { way, delivered }: Chosen,
): Promise<boolean> {
  const person = (await findSignedIn(world, browser))?.keys.person
  if (!person) return false
  const asked = { person, delivered, purpose: 'confirm' } as const
  switch (way) {
    case 'passport':
    case 'other': {
      const tab = await openTab(world, browser, { person, provider: way, purpose: 'confirm' })
      return tab !== undefined && finishTab(world, browser, tab, delivered)
    }
    case 'members':
      return signInAsMember(world, browser, asked)
    case 'passwords':
      return signInByPassword(world, browser, asked)
    case 'passkey':
      return signInByPasskey(world, browser, asked)
    case 'email':
    case 'import':
      return false
  }
}
