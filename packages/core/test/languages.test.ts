import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AuthConfig, Mail, Messages } from '@latchkey/core'
import { englishConfirmation } from '../src/pages/confirmation.ts'
import { englishMail, getMailTexts } from '../src/email/mail-texts.ts'
import { en } from '../src/pages/languages/en.ts'
import { createNegotiate } from '../src/pages/messages.ts'
import { englishWays } from '../src/pages/way-texts.ts'
import { englishAccount, englishSecurity, getSecurityTexts } from '../../account/src/texts.ts'
import { englishDevice } from '../../authorization-server/src/device/texts.ts'
import { englishOpenId } from '../../authorization-server/src/openid.ts'
import { englishServer } from '../../authorization-server/src/texts.ts'
import { englishPasskeys } from '../../passkeys/src/texts.ts'
import { englishPasswords } from '../../passwords/src/texts.ts'
import { englishSecondFactor } from '../../second-factor/src/texts.ts'
import { createEmailProvider, parseForm, serveMail } from './support/mailbox.ts'
import { serveAlice } from '../../account/test/support/security-emails.ts'
import { describe, expect, test } from 'vitest'
import { base, beginSignIn, serve, toCallbackUrl } from './support/service.ts'

const packages = join(import.meta.dirname, '../..')

/** The folders with texts: of core, and of the capabilities. */
const [folder, ...others] = [
  join(packages, 'core/src/pages/languages'),
  ...['account', 'authorization-server', 'passkeys', 'passwords', 'second-factor'].map((name) =>
    join(packages, name, 'src/languages'),
  ),
]

/** All shipped languages by tag, English included. */
const languages = new Map<string, Messages>(
  await Promise.all(
    readdirSync(folder ?? '').map(async (file): Promise<[string, Messages]> => {
      const own = await importTexts(join(folder, file))
      if (own === en) return ['en', en]
      const added = await Promise.all(others.map((other) => importTexts(join(other, file))))
      const capabilities = Object.assign({}, ...added.map((texts) => texts.capabilities))
      return [file.replace(/\.ts$/, ''), { ...own, capabilities }]
    }),
  ),
)

async function importTexts(file: string): Promise<Messages> {
  const [[name, texts] = ['', undefined], ...more] = Object.entries<Messages>(await import(file))
  if (!texts || more.length > 0) throw new Error(`${file}: expected one export`)
  expect(name).toBe(basename(file, '.ts').replaceAll('-', ''))
  return texts
}

const messages: NonNullable<AuthConfig['messages']> = Object.fromEntries(languages)

/** Returns every text of a language by its path, such as `mail.note`. */
function listTexts(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, value]: [string, unknown]): [string, string][] =>
      typeof value === 'string'
        ? [[path + name, value]]
        : [...listTexts(value as object, `${path}${name}.`)],
    ),
  )
}

const english = listTexts({
  ...en,
  mail: englishMail,
  confirmation: englishConfirmation,
  ways: englishWays,
  capabilities: {
    account: englishAccount,
    authorizationServer: { ...englishServer, ...englishDevice, ...englishOpenId },
    passkeys: englishPasskeys,
    passwords: englishPasswords,
    secondFactor: englishSecondFactor,
    securityEmails: englishSecurity,
  },
})

test('the README lists the shipped languages', () => {
  expect([...languages.keys()].toSorted()).toEqual(
    ['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt-BR', 'zh-Hans'].toSorted(),
  )
})

/** Words that a language shares with English, in the order of the texts. */
const sameWords: Readonly<Record<string, readonly string[]>> = {
  de: ['Name', 'Passkey'],
  it: ['Privacy', 'Passkey', 'Password'],
  nl: ['Privacy'],
}

describe.each([...languages])('%s', (tag, texts) => {
  // The English texts of optional pages are beside their pages.
  const listed = tag === 'en' ? english : listTexts(texts)

  test('has every text, and no other', () => {
    expect([...listed.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  })

  test.each([...english])('%s has the placeholders of the English text', (path, sentence) => {
    const text = listed.get(path) ?? ''
    expect(text.trim()).toBe(text)
    expect(text).not.toBe('')
    expect(text.match(/\{[^}]*\}/g)).toEqual(sentence.match(/\{[^}]*\}/g))
    expect(text).not.toMatch(/[<>&"]|  /)
  })

  test('is translated', () => {
    if (tag === 'en') return expect(texts).toBe(en)
    const same = [...listed].filter(([path, text]) => english.get(path) === text)
    const words = same.filter(([path]) => path !== 'direction').map(([, text]) => text)
    expect(words).toEqual(sameWords[tag] ?? [])
  })

  test('formats durations in its own words', async () => {
    const { browse } = serve({
      messages,
      limits: { startsPerClient: { times: 1, window: 600 } },
      limiter: { take: async () => 90 },
      providers: [createEmailProvider()],
      storage: serveMail().storage,
    })
    const headers = { 'accept-language': tag }
    const response = await browse().submit(
      '/signin/email',
      { email: 'alice@example.com', json: 'true' },
      { headers },
    )
    const { message } = (await response.json()) as { message: string }
    const format = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const
    const duration = new Intl.NumberFormat(tag, format).format(2)
    expect(message).toBe(texts.retryIn.replace('{name}', duration))
  })

  test('is the language and direction of the page, the email and its text', async () => {
    const { browse, mailbox } = serveMail({ messages }, { code: true })
    const headers = { 'accept-language': tag }
    const page = await (await browse().visit('/signin', { headers })).text()
    const opening = `lang="${tag.toLowerCase()}" dir="${texts.direction}">`
    expect(page).toContain(`<html ${opening}`)
    expect(page).toContain(`<h1>${texts.signIn}</h1>`)
    await browse().submit('/signin/email', { email: 'alice@example.com' }, { headers })
    const mail: Mail = mailbox.last
    const { subject, code } = getMailTexts(texts)
    expect(mail.subject).toBe(subject.replace('{name}', 'app.example'))
    expect(mail.html).toContain(`<html ${opening}`)
    expect(mail.html).toContain(`<div ${opening.slice(0, -1)} role="article"`)
    expect(mail.text).toContain(code)
    expect(mail.text).toMatch(/10/)
  })
})

describe.each([...languages])('an email about security in %s', (tag, { direction, ...texts }) => {
  const { changes, ...sentences } = getSecurityTexts({ direction, ...texts })
  const opening = `lang="${tag.toLowerCase()}" dir="${direction}">`
  const headers = { 'accept-language': tag }
  const now = Date.UTC(2026, 2, 4, 5, 6, 7)

  test('has its words, its date and the language of the browser, as its pages do', async () => {
    const { browse, browseAs, mailbox, takeMails } = await serveAlice({
      messages,
      runtime: { now: () => now },
    })
    const browser = browseAs('Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0')
    const request = await beginSignIn(browser)
    await browser.visit(toCallbackUrl(request, 'alice'), { headers })
    const [mail] = await takeMails()
    expect(mail?.subject).toBe(changes.newBrowser.replace('{name}', 'app.example'))
    expect(mail?.html).toContain(`<html ${opening}`)
    expect(mail?.html).toContain(`<div ${opening.slice(0, -1)} role="article"`)
    expect(mail?.html).toContain(`>${sentences.endSessions}</a>`)
    expect(mail?.text).toContain(sentences.browser.replace('{name}', 'Firefox (Windows)'))
    expect(mail?.text).toContain(sentences.wasNotYou)
    const date = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(now)
    expect(mail?.text).toContain(date)
    expect(mail?.text).toContain('UTC')
    const shown = await browse().visit(mailbox.getLink(mail).href, { headers })
    const page = await shown.text()
    expect(page).toContain(`<html ${opening}`)
    expect(page).toContain(`<h1>${sentences.endSessions}</h1>`)
    const other = browse()
    const { token = '' } = parseForm(page).fields
    const ended = await (await other.submit('/end-sessions', { token }, { headers })).text()
    expect(ended).toContain(`<h1>${sentences.sessionsEnded}</h1>`)
    expect(ended).toContain(`<a class="button primary" href="${base}/signin">${texts.signIn}</a>`)
  })

  test('is in the first language of the configuration, after a call of the server', async () => {
    const { auth, takeMails, id } = await serveAlice({ messages: { [tag]: texts, ...messages } })
    await auth.users.update(id, { email: 'new@example.com', emailVerified: true })
    const mails = await takeMails()
    const subject = changes.emailChanged.replace('{name}', 'app.example')
    expect(mails.map((mail) => mail.subject)).toEqual([subject, subject])
  })
})

describe('Accept-Language', () => {
  const negotiate = async (header: string): Promise<string | undefined> => {
    const { browse } = serve({ messages })
    const response = await browse().visit('/signin', { headers: { 'accept-language': header } })
    return /<html lang="([^"]+)"/.exec(await response.text())?.[1]
  }

  test.each([
    ['zh-CN,zh;q=0.9', 'zh-hans'],
    ['zh-SG', 'zh-hans'],
    ['zh-Hans-CN', 'zh-hans'],
    ['zh', 'zh-hans'],
    ['zh-TW, en;q=0.5', 'en'],
    ['zh-Hant-HK, de;q=0.5', 'de'],
    ['pt', 'pt-br'],
    ['pt-BR', 'pt-br'],
    ['pt-PT, es;q=0.5', 'pt-br'],
    ['es-419', 'es'],
    ['fr-CA', 'fr'],
    ['ar-EG', 'ar'],
    ['nl-BE', 'nl'],
    ['sv, ja;q=0.1', 'ja'],
    ['x-klingon, pl', 'pl'],
    ['i-default', 'en'],
    ['de-\u00e4', 'de'],
    ['zh-cmn-Hans-CN', 'en'],
  ])('%s: %s', async (header, tag) => {
    expect(await negotiate(header)).toBe(tag)
  })

  test('a configured tag that is not one of BCP 47 is refused at start-up', () => {
    for (const tag of ['zh_Hans', 'german', '', 'e', 'de-', '__proto__x']) {
      expect(() => serve({ messages: { [tag]: {} } }), tag).toThrow(
        `messages.${tag.toLowerCase()}: must be a language tag, such as pt-BR`,
      )
    }
  })
})

test.each([['en'], ['de']])('messages.%s: texts that are no object are refused', (tag) => {
  const withTexts = (texts: unknown): unknown =>
    serve({ messages: { [tag]: texts } as NonNullable<AuthConfig['messages']> })
  expect(() => withTexts([{ signIn: 'Go' }, {}])).not.toThrow()
  expect(() => withTexts(null)).toThrow(`messages.${tag}: must be an object, found null`)
  expect(() => withTexts([{ signIn: 'Go' }, 'Go'])).toThrow(`messages.${tag}: must be an object`)
})

test('the later texts of a list replace the earlier ones, text by text', async () => {
  const german = languages.get('de') ?? en
  const over = { capabilities: { account: { heading: 'Mein Konto' } } }
  const { browse } = await serveAlice({ messages: { de: [german, over, { signIn: 'Los' }] } })
  const headers = { 'accept-language': 'de' }
  const page = await (await browse().visit('/signin', { headers })).text()
  expect(page).toContain('<h1>Los</h1>')
  const merged = createNegotiate({ de: [german, over] })('de').messages
  expect(merged.capabilities).toEqual({
    ...german.capabilities,
    account: { ...german.capabilities?.account, heading: 'Mein Konto' },
  })
})

test('an email in Arabic keeps the link and the code from left to right', async () => {
  const { browse, mailbox } = serveMail({ messages }, { code: true })
  const browser = browse()
  const csrfToken = await browser.csrfToken()
  await browser.post(
    '/signin/email',
    { csrfToken, email: 'alice@example.com' },
    { headers: { 'accept-language': 'ar' } },
  )
  expect(mailbox.last.html).toMatch(/dir="ltr">\d{8}</)
  expect(mailbox.last.html).toMatch(/dir="ltr">https:/)
})
