import { authenticate } from '../authenticate.ts'
import type { Proved } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import type { Person } from '../people.ts'
import { toForm } from '../replies.ts'
import type { Delivery } from '../messages.ts'
import type { World } from '../world.ts'

/** Who signs in, or confirms, and how the reply arrives. */
export interface Asked {
  readonly person: Person
  readonly delivered: Delivery
  readonly purpose: 'signIn' | 'confirm'
}

/** Signs in, or confirms, by the password that the application itself checks. */
export async function signInAsMember(
  world: World,
  browser: Browser,
  { person, delivered, purpose }: Asked,
): Promise<boolean> {
  const confirm = purpose === 'confirm' ? { confirm: 'true' } : {}
  const form = { name: person.name, password: person.memberPassword, ...confirm }
  const request = await toForm(world, browser, { path: '/signin/members', form })
  const attempt = {
    person,
    browser,
    way: 'members',
    purpose,
    delivery: delivered,
    request,
  } as const
  const { outcome }: Proved = await authenticate(world, attempt)
  return outcome !== 'refused'
}
