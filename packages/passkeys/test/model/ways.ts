/** The ways of signing in: an identity provider, the password of an application, an email, a password and a passkey. */
import type { CeremonyOptions } from '../support/device.ts'
import { authenticate } from './authenticate.ts'
import type { Asked } from './authenticate.ts'
import { sendAs, submit, toForm, visit } from './requests.ts'
import type { Person } from './service.ts'
import { endAll, findSignedIn, observe } from './sessions.ts'
import type { Client, Delivery, Tab, World } from './world.ts'

const purposes = { signIn: {}, link: { link: 'true' }, confirm: { confirm: 'true' } } as const

/** Begins at an identity provider, and authenticates there; undefined if the service refuses to begin. */
export async function openTab(
  client: Client,
  tab: Omit<Tab, 'callbackUrl'>,
): Promise<Tab | undefined> {
  const { provider, person, purpose } = tab
  const request = { path: `/signin/${provider}`, form: purposes[purpose], accepts: 'json' } as const
  const { url = '' } = await submit(client, request)
  if (!url.startsWith(`https://${provider}.example/`)) return undefined
  const { searchParams } = new URL(url)
  const callback = new URL(searchParams.get('redirect_uri') ?? '')
  const code = `code-${client.world.ports.codes.size}-of-${person.name}`
  client.world.ports.codes.set(code, person)
  client.world.hide(code, 'an authorization code')
  callback.searchParams.set('code', code)
  callback.searchParams.set('state', searchParams.get('state') ?? '')
  return { ...tab, callbackUrl: callback.href }
}

/** Returns from an identity provider; true if the sign-in, the confirmation or the link has continued. */
export async function finishTab(
  client: Client,
  tab: Tab,
  delivery: Delivery = 'arrives',
): Promise<boolean> {
  const { person, provider: way, purpose, callbackUrl } = tab
  const { cookies } = client
  const request = { path: callbackUrl, site: 'cross-site' } as const
  const isDone =
    purpose === 'link'
      ? await finishLink(client, tab, delivery)
      : await authenticate(client, { person, way, purpose, delivery, request })
  if (!isDone) return false
  const replay = (other: Client) => visit(other, { ...request, cookie: cookies })
  client.world.spent.push({ kind: 'an authorization response', replay })
  return true
}

async function finishLink(
  client: Client,
  { callbackUrl, person, provider }: Tab,
  delivery: Delivery,
): Promise<boolean> {
  const session = await observe(client)
  await sendAs(client, { path: callbackUrl, site: 'cross-site' }, delivery)
  if (!session) return false
  const accounts = await client.world.ports.storage.listAccounts?.(session.userId)
  const isLinked = accounts?.some((account) => account.provider === provider) ?? false
  if (isLinked) person.users.set(provider, session.userId)
  return isLinked
}

/** Signs in at an identity provider. */
export async function signInAt(
  client: Client,
  provider: 'passport' | 'other',
  { person, purpose = 'signIn', delivery }: Asked,
): Promise<boolean> {
  const tab = await openTab(client, { person, provider, purpose })
  return tab !== undefined && finishTab(client, tab, delivery)
}

/** Signs in, or confirms, by the password that the application itself checks. */
export async function signInAsMember(client: Client, asked: Asked): Promise<boolean> {
  const { name, memberPassword: password } = asked.person
  const form = { name, password, ...purposes[asked.purpose ?? 'signIn'] }
  const request = await toForm(client, { path: '/signin/members', form })
  return (await authenticate(client, { ...asked, way: 'members', request })) !== undefined
}

/** Signs in, or confirms, by the password of a person (I-55). */
export async function signInByPassword(client: Client, asked: Asked): Promise<boolean> {
  const { email, password } = asked.person
  if (password === undefined) return false
  const form = { email, password, ...purposes[asked.purpose ?? 'signIn'] }
  const request = await toForm(client, { path: '/signin/passwords', form })
  return (await authenticate(client, { ...asked, way: 'passwords', request })) !== undefined
}

/** Returns the text of the newest of the emails to a person since a number of them. */
function findMail({ ports: { mails } }: World, { email }: Person, since: number): string {
  return mails.slice(since).findLast(({ to }) => to.address === email)?.text ?? ''
}

/** Asks for an email of the passwords, and chooses a password by its link. */
export async function choosePassword(
  client: Client,
  { person, delivery, action }: Asked & { readonly action: 'register' | 'forgot' },
): Promise<boolean> {
  const { world } = client
  const since = world.ports.mails.length
  const form = { action, email: person.email }
  await submit(client, { path: '/signin/passwords', form })
  const [link] = /https:\/\/\S+\/callback\/passwords\S*/.exec(findMail(world, person, since)) ?? []
  if (link === undefined) return false
  const fields = Object.fromEntries(new URL(link).searchParams)
  world.hide(fields['token'] ?? '', 'the token of a link')
  const password = createPassword(world)
  const path = '/callback/passwords'
  const request = await toForm(client, { path, form: { ...fields, password } })
  const before = person.users.get('passwords')
  const attempt = { person, way: 'passwords', ...(delivery && { delivery }), request } as const
  const reply = await authenticate(client, attempt)
  if (!reply) return false
  person.password = password
  if (before !== undefined && reply.began?.userId === before)
    endAll(world, before, 'its password was reset', reply.began.id)
  const replay = async (other: Client): Promise<void> => {
    const again = { path, form: { ...fields, password: `${password} again` } }
    const { status, error } = await submit(other, again)
    if (status === 302 && error === undefined) world.fail('a link has chosen two passwords')
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

/** What a sign-in email has. */
interface SignInMail {
  readonly link: string
  readonly code: string
}

/** Asks for a sign-in email; undefined if none was sent. */
async function askForMail(client: Client, person: Person): Promise<SignInMail | undefined> {
  const { world } = client
  const since = world.ports.mails.length
  const form = { email: person.email }
  const { error } = await submit(client, { path: '/signin/email', form })
  const text = findMail(world, person, since)
  const [link] = /https:\/\/\S+\/callback\/email\S*/.exec(text) ?? []
  if (link === undefined || error !== undefined) return undefined
  const code = (/\b\d{4} ?\d{4}\b/.exec(text)?.[0] ?? '').replace(' ', '')
  world.hide(new URL(link).searchParams.get('token') ?? '', 'the token of a link')
  world.hide(code, 'a code')
  return { link, code }
}

/** Signs in by a link, in the browser that asked for it or in another one, which shows a page with a form. */
export async function openLink(
  { asker, opener }: { readonly asker: Client; readonly opener: Client },
  asked: Asked,
): Promise<boolean> {
  const mail = await askForMail(asker, asked.person)
  if (!mail) return false
  const { link } = mail
  const opened = { path: link, site: 'cross-site' } as const
  if (asker !== opener) await visit(opener, opened)
  const request = asker === opener ? opened : await toForm(opener, toLinkForm(link))
  if (!(await authenticate(opener, { ...asked, way: 'email', request }))) return false
  spendLink(opener.world, link)
  return true
}

function toLinkForm(link: string): { path: string; form: Record<string, string> } {
  const { origin, pathname, searchParams } = new URL(link)
  return { path: origin + pathname, form: Object.fromEntries(searchParams) }
}

function spendLink(world: World, link: string): void {
  const replay = async (other: Client): Promise<void> => {
    await visit(other, { path: link, site: 'cross-site' })
    await submit(other, toLinkForm(link))
  }
  world.spent.push({ kind: 'the link of an email', replay })
}

/** Signs in by the code of an email, in the browser that asked for it. */
export async function typeCode(client: Client, asked: Asked): Promise<boolean> {
  const mail = await askForMail(client, asked.person)
  if (!mail) return false
  const typed = { path: '/callback/email', form: { code: mail.code } }
  const request = await toForm(client, typed)
  const { cookies } = client
  if (!(await authenticate(client, { ...asked, way: 'email', request }))) return false
  spendLink(client.world, mail.link)
  const replay = async (other: Client): Promise<void> => {
    await submit(other, typed)
    await visit(other, { ...request, cookie: cookies })
  }
  client.world.spent.push({ kind: 'the code of an email', replay })
  return true
}

/** Asks for the options of a ceremony; undefined if they are refused. */
export async function getPasskeyOptions(
  client: Client,
  form: Readonly<Record<string, string>> = {},
): Promise<CeremonyOptions | undefined> {
  const reply = await submit(client, { path: '/signin/passkey', form, accepts: 'json' })
  return (JSON.parse(reply.text) as { readonly publicKey?: CeremonyOptions }).publicKey
}

/** Signs in, or confirms, by the first passkey of a person (I-56). */
export async function signInByPasskey(client: Client, asked: Asked): Promise<boolean> {
  const isConfirming = asked.purpose === 'confirm'
  const userId = isConfirming ? (await findSignedIn(client))?.userId : undefined
  const [device] = [...client.world.keys].flatMap(([id, { person, devices }]) =>
    person === asked.person && (userId ?? id) === id ? devices : [],
  )
  const options = device && (await getPasskeyOptions(client, purposes[asked.purpose ?? 'signIn']))
  if (!device || !options) return false
  const form = { credential: JSON.stringify(await device.get(options)) }
  const posted = { path: '/callback/passkey', form, accepts: 'json' } as const
  const request = await toForm(client, posted)
  const { cookies } = client
  // A verified passkey counts as two factors (I-52.7).
  const attempt = { ...asked, way: 'passkey', factors: 2, request } as const
  if (!(await authenticate(client, attempt))) return false
  const replay = async (other: Client): Promise<void> => {
    await visit(other, { ...request, cookie: cookies })
    await getPasskeyOptions(other)
    await submit(other, posted)
  }
  client.world.spent.push({ kind: 'the answer of a passkey', replay })
  return true
}
