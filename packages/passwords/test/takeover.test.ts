import type { Provider } from '@latchkey/core'
import type { Browser } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { provideIdentity, storeUser, visitProvider } from './support/identities.ts'
import {
  alice,
  ask,
  choose,
  fastHasher,
  getEmail,
  register,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

/** Providers whose profile always has the email address of the owner. */
const [careless, careful] = [false, true].map((isProven): Provider => {
  const id = isProven ? 'careful' : 'careless'
  return { ...provideIdentity({ id, email: alice, isProven }), linkByVerifiedEmail: true }
}) as [Provider, Provider]

/** A person with a browser, and with the passwords that the person has chosen. */
interface Person {
  readonly name: 'attacker' | 'owner'
  readonly browser: Browser
  readonly passwords: string[]
}

interface Story {
  readonly service: PasswordService
  readonly attacker: Person
  readonly owner: Person
}

type Step = (story: Story) => Promise<unknown>

async function signInAt({ browser, name }: Person, provider: Provider): Promise<void> {
  await visitProvider(browser, `/signin/${provider.id}?login_hint=${name}`)
}

/** Only the owner reads the mailbox. */
async function openLatest({ service, owner }: Story): Promise<void> {
  const { text } = service.mailbox.mails.findLast((mail) => mail.to.address === alice) ?? {
    text: '',
  }
  const [link] = /https:\S+\/callback\/passwords\S+/.exec(text) ?? []
  if (link === undefined) return
  const password = `a password of the owner ${owner.passwords.length}`
  const response = await owner.browser.visit(link)
  if (!(await response.text()).includes('name="password"')) return
  owner.passwords.push(password)
  await choose(owner.browser, link, password)
}

const steps: Readonly<Record<string, Step>> = {
  'the attacker registers': ({ attacker }) => ask(attacker.browser, 'register'),
  'the attacker signs in at a careless provider': ({ attacker }) => signInAt(attacker, careless),
  'the attacker signs in by a prepared password': ({ attacker }) =>
    signIn(attacker.browser, 'a password of the attacker'),
  'the owner opens the latest link': openLatest,
  'the owner registers': async (story) => {
    await ask(story.owner.browser, 'register')
    await openLatest(story)
  },
  'the owner signs in at a careless provider': ({ owner }) => signInAt(owner, careless),
  'the owner signs in at a careful provider': ({ owner }) => signInAt(owner, careful),
  'the owner signs in by email': async ({ service, owner }) => {
    await owner.browser.submit('/signin/email', { email: alice })
    const link = service.mailbox.mails.at(-1)?.text.match(/https:\S+\/callback\/email\S+/)?.[0]
    if (link !== undefined) await owner.browser.visit(link)
  },
  'the owner resets the password': async (story) => {
    await ask(story.owner.browser, 'forgot')
    await openLatest(story)
  },
}

/** Returns all orders of up to `length` different steps. */
function listOrders(length: number): readonly (readonly string[])[] {
  const shorter = length === 1 ? [[]] : listOrders(length - 1)
  const longest = shorter.filter((order) => order.length === length - 1)
  const names = Object.keys(steps)
  const longer = longest.flatMap((order) =>
    names.filter((name) => !order.includes(name)).map((name) => [...order, name]),
  )
  return [...shorter, ...longer]
}

const prepared = 'prepared'

/** Serves passwords; if asked, with an imported user whom the attacker has registered elsewhere. */
async function begin(isPrepared: boolean): Promise<Story> {
  const over = { providers: [careless, careful], limits: { mailsPerAddress: false } } as const
  const service = servePasswords({}, over)
  if (isPrepared) await prepare(service)
  const start = (name: Person['name']): Person => ({
    name,
    browser: service.browse(),
    passwords: [],
  })
  return { service, attacker: start('attacker'), owner: start('owner') }
}

async function prepare({ storage }: PasswordService): Promise<void> {
  const hash = await fastHasher().hash('a password of the attacker')
  await storeUser(storage, { id: prepared, hash })
}

async function getUserId({ browser }: Person): Promise<string | undefined> {
  const session: unknown = await (await browser.visit('/session')).json()
  return (session as { readonly user?: { readonly id: string } } | null)?.user?.id
}

/** Signs the owner in, by what an owner has in the end: the mailbox, and an account at a careful provider. */
async function signOwnerIn(story: Story): Promise<string> {
  await steps['the owner resets the password']?.(story)
  const { user } = (await story.owner.browser.json('/session')) as {
    user?: { id: string; emailVerified: boolean }
  }
  if (!user?.emailVerified) await signInAt(story.owner, careful)
  const id = await getUserId(story.owner)
  if (id === undefined) throw new Error('the owner is not signed in')
  return id
}

async function expectAlone(story: Story, what: string): Promise<void> {
  const { service, attacker, owner } = story
  const mine = await signOwnerIn(story)
  expect(await getEmail(owner.browser), what).toBe(alice)
  expect((await service.storage.getUserByEmail(alice))?.id, what).toBe(mine)
  expect(await getUserId(attacker), what).not.toBe(mine)
  const accounts = await service.auth.accounts.list(mine)
  expect(
    accounts.map(({ providerAccountId }) => providerAccountId),
    what,
  ).not.toContain('attacker')
  // Whatever the attacker has tried works no better afterwards.
  const again: Person = { ...attacker, browser: service.browse('192.0.2.2') }
  await signIn(again.browser, 'a password of the attacker')
  expect(await getUserId(again), what).toBeUndefined()
  await signInAt(again, careless)
  expect(await getUserId(again), what).not.toBe(mine)
}

test('the steps reach what they are for', async () => {
  const story = await begin(true)
  await steps['the attacker signs in at a careless provider']?.(story)
  const theirs = await getUserId(story.attacker)
  expect(theirs).toBeDefined()
  await steps['the attacker signs in by a prepared password']?.(story)
  expect(story.service.mailbox.mails.at(-1)?.text).toContain('prove=true')
  await steps['the owner registers']?.(story)
  const mine = await getUserId(story.owner)
  expect([mine === theirs, mine === undefined, mine === prepared]).toEqual([false, false, false])
})

test.each([false, true])(
  'in every order of three steps only the owner ends in the account, with a prepared user: %s',
  async (isPrepared) => {
    for (const order of listOrders(3)) {
      const story = await begin(isPrepared)
      for (const name of order) await steps[name]?.(story)
      await expectAlone(story, order.join(', '))
    }
  },
)

test('a registration elsewhere leaves nothing in the storage', async () => {
  const service = servePasswords()
  await ask(service.browse(), 'register')
  expect(await service.storage.getUserByEmail(alice)).toBeUndefined()
  await register(service)
  expect(await service.storage.getUserByEmail(alice)).toBeDefined()
})
