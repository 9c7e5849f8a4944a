/** Signing in by a password, and choosing one by a link (I-55). */
import { authenticate } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import type { Person } from '../people.ts'
import { submit, toForm } from '../replies.ts'
import type { Delivery } from '../messages.ts'
import { endAll } from '../sessions.ts'
import type { World } from '../world.ts'
import type { Asked } from './member.ts'

/** Signs in, or confirms, by the password of a person. */
export async function signInByPassword(
  world: World,
  browser: Browser,
  { person, delivered, purpose }: Asked,
): Promise<boolean> {
  const { email, password } = person
  if (password === undefined) return false
  const form = { email, password, ...(purpose === 'confirm' && { confirm: 'true' }) }
  const request = await toForm(world, browser, { path: '/signin/passwords', form })
  const attempt = {
    person,
    browser,
    way: 'passwords',
    purpose,
    delivery: delivered,
    request,
  } as const
  const { outcome } = await authenticate(world, attempt)
  return outcome !== 'refused'
}

/** Asks for an email of the passwords; returns its link, or undefined if there is none. */
export async function askForLink(
  world: World,
  browser: Browser,
  { email }: Person,
  action: 'register' | 'forgot',
): Promise<string | undefined> {
  const { mails } = world.ports
  const before = mails.length
  await submit(world, browser, { path: '/signin/passwords', form: { action, email } })
  const mail = mails.slice(before).findLast(({ to }) => to.address === email)
  const [link] = /https:\/\/\S+\/callback\/passwords\S*/.exec(mail?.text ?? '') ?? []
  if (link !== undefined)
    world.hide(new URL(link).searchParams.get('token') ?? '', 'the token of a link')
  return link
}

/** Chooses a password by a link, and signs in by it. */
export async function choosePassword(
  world: World,
  browser: Browser,
  {
    person,
    link,
    delivered,
  }: { readonly person: Person; readonly link: string; readonly delivered: Delivery },
): Promise<boolean> {
  const password = createPassword(world)
  const fields = Object.fromEntries(new URL(link).searchParams)
  const path = '/callback/passwords'
  const request = await toForm(world, browser, { path, form: { ...fields, password } })
  const before = person.users.get('passwords')
  const attempt = { person, browser, way: 'passwords', delivery: delivered, request } as const
  const { outcome, reply } = await authenticate(world, attempt)
  if (outcome === 'refused') return false
  person.password = world.isUnclear ? undefined : password
  if (before !== undefined && reply.began?.userId === before)
    endAll(world, before, 'its password was reset', reply.began.id)
  if (world.isUnclear) return false
  const replay = async (other: Browser): Promise<void> => {
    const form = { ...fields, password: `${password} again` }
    const again = await submit(world, other, { path, form })
    if (again.status === 302 && again.error === undefined)
      world.fail('a link has chosen two passwords')
  }
  world.spent.push({ kind: 'the link to a password', replay })
  return true
}

/** Creates a password that complies with the rules. */
export function createPassword(world: World): string {
  const password = `words that differ, number ${world.secretTexts.size}`
  world.hide(password, 'a password')
  return password
}
