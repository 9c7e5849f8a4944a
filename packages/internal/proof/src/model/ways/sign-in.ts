import type { Browser } from '../browser.ts'
import type { Person, Way } from '../people.ts'
import { findSignedIn } from '../signed-in.ts'
import type { SignedIn } from '../signed-in.ts'
import type { World } from '../world.ts'
import { askForMail, openLink } from './email.ts'
import { signInAsMember } from './member.ts'
import { signInByPassword } from './password.ts'
import { finishTab, openTab } from './provider.ts'
import { listMethods, proveSecond } from './second-factor.ts'

/** Proves the first factor of a person, in a way in which they have signed in before, or else by an identity provider. */
export async function signInFirst(
  world: World,
  browser: Browser,
  person: Person,
): Promise<boolean> {
  const [way = 'passport'] = [...person.users.keys()].filter(
    (each) => each !== 'passkey' && each !== 'import',
  )
  return signInBy(world, browser, { person, way })
}

async function signInBy(
  world: World,
  browser: Browser,
  { person, way }: { readonly person: Person; readonly way: Way },
): Promise<boolean> {
  const asked = { person, delivered: 'arrives', purpose: 'signIn' } as const
  if (way === 'members') return signInAsMember(world, browser, asked)
  if (way === 'passwords') return signInByPassword(world, browser, asked)
  if (way === 'email') {
    const mail = await askForMail(world, browser, person)
    const opened = { person, asked: browser, opened: browser, delivered: 'arrives' } as const
    return mail !== undefined && openLink(world, opened, mail)
  }
  const provider = way === 'other' ? 'other' : 'passport'
  const tab = await openTab(world, browser, { person, provider, purpose: 'signIn' })
  return tab !== undefined && finishTab(world, browser, tab, 'arrives')
}

/** Signs a person in, with both factors if the service asks; undefined if it refuses. */
export async function ensureSignedIn(
  world: World,
  browser: Browser,
  person: Person,
): Promise<SignedIn | undefined> {
  const before = await findSignedIn(world, browser)
  if (before?.keys.person === person) return before
  if (!(await signInFirst(world, browser, person))) return undefined
  const first = await findSignedIn(world, browser)
  if (first?.keys.person === person) return first
  const { unfinished } = browser
  const keys = world.keys.get(unfinished?.userId ?? '')
  const [method] = unfinished && keys ? listMethods(keys) : []
  if (method) await proveSecond(world, browser, { method, delivered: 'arrives', remembers: false })
  const after = await findSignedIn(world, browser)
  return after?.keys.person === person ? after : undefined
}
