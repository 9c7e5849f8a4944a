import { getCredentialId, PasskeyError } from '@latchkey/passkeys'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromBase64url, toBase64url } from '../src/bytes.ts'
import { judge, run } from './support/ceremonies.ts'
import { createKeyPair } from './support/keys.ts'

const keyPair = await createKeyPair(-7)
const responses = { create: await run('create', keyPair), get: await run('get', keyPair) }
const encode = (length: number): string => Buffer.alloc(length, 1).toString('base64url')

/** Values that are not base64url of at least one byte. */
const notBase64url = [undefined, null, 1, [], {}, '', 'A', 'AA==', 'A+/A', 'AB', ' AAAA', 'é']

describe.each(['create', 'get'] as const)('the response of %s is malformed', (type) => {
  const response = responses[type]
  const judgeJson = (json: unknown) => judge(type, json, keyPair)

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a boolean', true],
    ['a number', 1],
    ['a text', JSON.stringify(response)],
    ['a list', [response]],
  ])('as %s', async (_, json) => {
    expect(await judgeJson(response)).toBe('accepted')
    expect(await judgeJson(json)).toBe('malformed: the credential is not an object')
  })

  test.each(notBase64url.map((id) => ({ id })))('with the id $id', async ({ id }) => {
    expect(await judgeJson({ ...response, id, rawId: id })).toContain('malformed: id is not')
  })

  test.each([
    ['another rawId', { rawId: encode(20) }, 'rawId is not id'],
    ['no rawId', { rawId: undefined }, 'rawId is not id'],
    ['a padded rawId', { rawId: `${response.rawId}=` }, 'rawId is not id'],
    ['another type', { type: 'password' }, 'type is not public-key'],
    ['no type', { type: undefined }, 'type is not public-key'],
    ['a text as the response', { response: 'text' }, 'response is not an object'],
    ['no response', { response: undefined }, 'response is not an object'],
    ['a list as the response', { response: [] }, 'response is not an object'],
    [
      'a text as the extension results',
      { clientExtensionResults: 'text' },
      'clientExtensionResults is not an object',
    ],
    [
      'an id of 1024 bytes',
      { id: encode(1024), rawId: encode(1024) },
      'id is not base64url of 1 to 1023 bytes without padding',
    ],
  ])('with %s', async (_, members, verdict) => {
    expect(await judgeJson({ ...response, ...members })).toBe(`malformed: ${verdict}`)
  })

  const names = {
    create: ['clientDataJSON', 'attestationObject'],
    get: ['clientDataJSON', 'authenticatorData', 'signature'],
  }[type]
  test.each(names.flatMap((name) => notBase64url.map((value) => ({ name, value }))))(
    'with $name $value',
    async ({ name, value }) => {
      const json = { ...response, response: { ...response.response, [name]: value } }
      expect(await judgeJson(json)).toContain(`malformed: ${name} is not`)
    },
  )

  test.each([
    ['clientDataJSON', 4096],
    [
      type === 'create' ? 'attestationObject' : 'authenticatorData',
      type === 'create' ? 16_384 : 4096,
    ],
  ])('with a %s of more than %d bytes', async (name, limit) => {
    const judgeLength = (length: number) =>
      judgeJson({ ...response, response: { ...response.response, [name]: encode(length) } })
    const verdict = `malformed: ${name} is not base64url of 1 to ${limit} bytes without padding`
    expect(await judgeLength(limit)).not.toBe(verdict)
    expect(await judgeLength(limit + 1)).toBe(verdict)
  })

  test.each(names)('with a longer %s than its limit, before it is decoded', async (name) => {
    const json = { ...response, response: { ...response.response, [name]: encode(16_385) } }
    expect(await judgeJson(json)).toContain(`malformed: ${name} is not base64url of 1 to `)
  })
})

describe('transports', () => {
  const withTransports = (transports: unknown) => ({
    ...responses.create,
    response: { ...responses.create.response, transports },
  })

  test.each([
    [undefined],
    [[]],
    [['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal']],
    [['x1']],
    [Array.from({ length: 16 }, () => 'usb')],
  ])('%j are accepted', async (transports) => {
    expect(await judge('create', withTransports(transports), keyPair)).toBe('accepted')
  })

  test.each([
    [null],
    ['usb'],
    [{ 0: 'usb', length: 1 }],
    [[1]],
    [['']],
    [['usb '.repeat(9)]],
    [[' usb']],
    [['u'.repeat(33)]],
    [['<b>']],
    [Array.from({ length: 17 }, () => 'usb')],
  ])('%j are malformed', async (transports) => {
    expect(await judge('create', withTransports(transports), keyPair)).toContain('malformed: ')
  })
})

test.each([1, {}, 'AA==', encode(65)])('the user handle %j is malformed', async (userHandle) => {
  const { get } = responses
  expect(await judge('get', get, keyPair)).toBe('accepted')
  const response = { ...get, response: { ...get.response, userHandle } }
  expect(await judge('get', response, keyPair)).toContain('malformed: userHandle is not')
})

test('the credential ID of a response is read before it is verified', () => {
  expect(getCredentialId(responses.get)).toBe(responses.get.id)
  expect(getCredentialId({ ...responses.get, response: {} })).toBe(responses.get.id)
  expect(() => getCredentialId({ id: 'AAAA' })).toThrow(PasskeyError)
})

test('any JSON is malformed or refused, without another error', async () => {
  const member = fc.oneof(
    fc.jsonValue(),
    fc.base64String().map((text) => text.replace(/=+$/, '')),
  )
  const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature']
  const inner = fc.oneof(member, fc.dictionary(fc.constantFrom(...names), member))
  const json = fc.oneof(
    fc.jsonValue(),
    inner.map((response) => ({ ...responses.get, response })),
    fc.dictionary(fc.constantFrom('id', 'rawId', 'type', 'response'), member),
  )
  await fc.assert(
    fc.asyncProperty(json, async (value) => {
      expect(await judge('get', value, keyPair)).toMatch(/^(malformed|refused): /)
      expect(await judge('create', value, keyPair)).toMatch(/^(malformed|refused): /)
    }),
    { numRuns: 1000 },
  )
})

test('base64url is decoded only from the canonical encoding of its bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64url')
      expect(toBase64url(bytes)).toBe(text)
      expect([...(fromBase64url(text) ?? [])]).toEqual([...bytes])
    }),
  )
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      const bytes = fromBase64url(text)
      if (bytes) expect(toBase64url(bytes)).toBe(text)
    }),
    { numRuns: 2000 },
  )
})

test('a message contains nothing of the response', async () => {
  const secret = 'c2VjcmV0LXZhbHVl'
  const verdicts = await Promise.all([
    judge('get', { ...responses.get, id: secret, rawId: secret }, keyPair),
    judge('get', { ...responses.get, type: secret }, keyPair),
    judge('get', { ...responses.get, response: { clientDataJSON: secret } }, keyPair),
    judge('get', await run('get', keyPair, { clientData: { type: secret } }), keyPair),
    judge('get', await run('get', keyPair, { clientData: {}, prefix: secret }), keyPair),
  ])
  expect(verdicts.join('\n')).not.toMatch(/c2Vj|secret-value|Unexpected token/)
})
