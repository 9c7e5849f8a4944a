/** What reads texts of clients and providers refuses them, or returns what every caller expects. */
import { AuthError } from '@latchkey/core'
import { userFields } from '@latchkey/core/user-fields'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBody } from '../../src/http/body.ts'
import { platformClock } from '../../src/lib/clock.ts'
import { copyProfile } from '../../src/sign-in/profile.ts'
import { json, numRuns, text } from '../support/arbitraries.ts'

const names = fc.constantFrom('csrfToken', 'email', '__proto__', 'a')
const field = fc.tuple(names, text).map(([name, value]) => `${name}=${value}`)
const body = fc.oneof(
  text,
  json.map((value) => JSON.stringify(value)),
  fc.array(field, { maxLength: 8 }).map((fields) => fields.join('&')),
  fc.nat(3000).map((depth) => '['.repeat(depth)),
  fc.nat(200).map((count) => 'a=1&'.repeat(count)),
  fc.nat(70_000).map((length) => 'x'.repeat(length)),
)
// prettier-ignore
const contentType = fc.constantFrom(
  'application/x-www-form-urlencoded', 'application/json', 'APPLICATION/JSON; charset=utf-8',
  'application/json;;;', 'multipart/form-data', 'text/plain',
)

test('a body is refused with 400, 413 or 415, or has at most 100 fields and no prototype', async () => {
  const service = { timeouts: { request: 5 }, runtime: platformClock }
  const types = ['application/x-www-form-urlencoded', 'application/json'] as const
  const property = fc.asyncProperty(body, contentType, async (sent, type) => {
    const headers = { 'content-type': type }
    const request = new Request('https://app.example/', { method: 'POST', body: sent, headers })
    const read = await readBody(service, request, types, ['email']).catch((thrown: unknown) => {
      if (thrown instanceof AuthError && [400, 413, 415].includes(thrown.status)) return undefined
      throw thrown
    })
    expect(read?.fields.size ?? 0).toBeLessThanOrEqual(100)
    expect(JSON.stringify(read?.data ?? null)).not.toContain('"__proto__"')
  })
  await fc.assert(property, { numRuns })
})

const member = fc.constantFrom('name', 'email', 'image', 'active', 'role', 'count', 'data')
const profile = fc.dictionary(fc.oneof(member, text), json, { maxKeys: 8 })

test('a profile of any members becomes a user whose texts every database keeps', () => {
  const property = fc.property(profile, (given) => {
    const { name, email, emailVerified, image } = copyProfile({ profile: given, emailProven: true })
    // oxlint-disable-next-line no-control-regex
    if (name !== null) expect(name).toMatch(/^[^\0-\x1f\p{Surrogate}]{1,255}$/u)
    if (email !== null) expect(email).toMatch(/^(?=.{3,254}$)[^@\s]+@[^@\s]+$/)
    if (image !== null) expect(image).toMatch(/^https?:\/\/.{1,2040}$/)
    expect(emailVerified && email === null).toBe(false)
  })
  fc.assert(property, { numRuns })
})

test('user fields of any members are stored as they are read again', () => {
  const fields = userFields({
    role: { type: 'text', default: 'member' },
    count: { type: 'integer' },
    active: { type: 'boolean' },
    data: { type: 'json' },
  })
  const property = fc.property(profile, (given) => {
    const { values } = fields.fromProfile(given)
    const columns = fields.encodeUser(values)
    for (const value of Object.values(columns))
      if (value !== null) expect(typeof value).toMatch(/^(?:string|number)$/)
    expect(JSON.stringify(fields.decode(columns))).toBe(JSON.stringify(values))
  })
  fc.assert(property, { numRuns })
})
