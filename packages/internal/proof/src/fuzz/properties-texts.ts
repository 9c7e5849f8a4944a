import { userFields } from '@latchkey/core/user-fields'
import { de } from '@latchkey/core/languages/de'
import { getMailbox, parseEmailAddress } from '../../../../core/src/email/email-address.ts'
import { redact } from '../../../../core/src/lib/redact.ts'
import { isStorableText } from '../../../../core/src/lib/storable-text.ts'
import { createNegotiate } from '../../../../core/src/pages/messages.ts'
import { copyProfile } from '../../../../core/src/sign-in/profile.ts'
import type { Draw } from './draw.ts'
import { defineProperty, unlessRefused } from './property.ts'
import type { Property } from './property.ts'
import { check } from './target.ts'
import { drawJson, drawText } from './texts.ts'

const negotiate = createNegotiate({ de })
const fields = userFields({
  role: { type: 'text', default: 'member' },
  count: { type: 'integer' },
  active: { type: 'boolean' },
  data: { type: 'json' },
})

/** Properties of what reads texts of users and providers. */
export const textProperties: readonly Property[] = [
  defineProperty('email address', drawEmailAddress, (text) => {
    const address = parseEmailAddress(text)
    if (address === undefined) return
    check(/^[!-~]{3,254}$/.test(address), `characters: ${address}`)
    check(address.split('@').length === 2 && !/[<>()[\]\\,;:"]/.test(address), `form: ${address}`)
    check(address === address.toLowerCase(), `case: ${address}`)
    check(parseEmailAddress(address) === address, `changes again: ${address}`)
    check(getMailbox(getMailbox(address)) === getMailbox(address), `mailbox: ${address}`)
  }),
  defineProperty('Accept-Language', drawLanguages, (header) => {
    check(['en', 'de'].includes(negotiate(header).tag), 'a language that is not configured')
  }),
  defineProperty('log', drawText, (text) => {
    const line = redact(text)
    check(line.length <= 1001 && !/[\r\n\0]/.test(line), `line: ${JSON.stringify(line)}`)
  }),
  defineProperty('secret in a log line', drawSecret, ({ before, secret, after }) => {
    const line = redact(before + secret + after)
    check(!line.includes(secret), `secret in a log line: ${line}`)
  }),
  defineProperty('profile', drawProfile, (profile) => checkProfile(profile)),
  defineProperty('user fields', drawProfile, (profile) => {
    const { values } = fields.fromProfile(profile)
    const columns = fields.encodeUser(values)
    const types = Object.values(columns).map((value) => (value === null ? 'null' : typeof value))
    check(
      types.every((type) => ['null', 'string', 'number'].includes(type)),
      types.join(),
    )
    check(JSON.stringify(fields.decode(columns)) === JSON.stringify(values), 'round trip of fields')
    unlessRefused(
      () => fields.decode(profile),
      (thrown) => thrown instanceof TypeError && /role|count|active|data/.test(thrown.message),
    )
  }),
  defineProperty('storable text', drawText, (text) => {
    check(!isStorableText(text) || (text.isWellFormed() && !text.includes('\0')), 'storable text')
  }),
]

function drawEmailAddress(draw: Draw): string {
  const parts = [
    'a',
    'ａ',
    '\u212a',
    'ﬁ',
    '\u3002',
    '\uff0e',
    '\uff20',
    '\u00ad',
    '+tag',
    '.',
    '@',
    'xn--',
    'ß',
    'İ',
    '-',
    '_',
  ]
  return draw.any(
    drawText,
    (d) => `${drawText(d)}@example.com`,
    (d) =>
      `${d.list(8, () => d.pick(parts)).join('')}@${d.list(6, () => d.pick(parts)).join('')}.com`,
  )
}

function drawLanguages(draw: Draw): string {
  const tags = ['en', 'de', '*', 'zh-Hans', 'x', 'i-klingon', 'en-', '-', 'de-DE-1996', '\u00fc']
  const weights = ['', ';q=0', ';q=1', ';q=', ';q=.', ';q=9e9', '; Q=0.5', ';q=1.1.1']
  const list = (d: Draw): string => d.list(40, () => d.pick(tags) + d.pick(weights)).join(',')
  return draw.any(drawText, list)
}

interface Framed {
  readonly before: string
  readonly secret: string
  readonly after: string
}

function drawSecret(draw: Draw): Framed {
  const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
  const random = Array.from({ length: 40 }, () => draw.pick(alphabet)).join('')
  const frames = [' ', '=', '?', '"', "'", '/', ':', ',', '<', '(', '&', '\n'] as const
  const frame = draw.pick(frames)
  return {
    before: drawText(draw).slice(0, 1000) + frame,
    secret: `aZ9${random}`,
    after: frame + drawText(draw),
  }
}

type Profile = Readonly<Record<string, unknown>>

function drawProfile(draw: Draw): Profile {
  const names = [
    'name',
    'email',
    'emailVerified',
    'image',
    'role',
    'count',
    'active',
    'data',
    '__proto__',
    'x',
  ]
  return Object.fromEntries(draw.list(8, (d) => [d.pick(names), drawJson(d)] as const))
}

function checkProfile(profile: Profile): void {
  const { name, email, emailVerified, image, ...rest } = copyProfile({ profile, emailProven: true })
  check(name === null || (name.isWellFormed() && Array.from(name).length <= 255), `name: ${name}`)
  // oxlint-disable-next-line no-control-regex
  check(name === null || !/[\0-\x1f]/.test(name), `name: ${JSON.stringify(name)}`)
  check(
    email === null || (email.length <= 254 && /^[^@\s]+@[^@\s]+$/.test(email)),
    `email: ${email}`,
  )
  check(image === null || /^https?:\/\/.{1,2040}$/.test(image), `image: ${image}`)
  check(!emailVerified || email !== null, 'emailVerified without an email address')
  check(Object.getPrototypeOf(rest) === Object.prototype, 'prototype of a profile')
}
