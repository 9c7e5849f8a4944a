import { ses } from '@latchkey/mail/http'
import { afterEach, expect, test, vi } from 'vitest'
import { signHeaders } from '../src/http/ses.ts'
import { createSignInMail } from './support/sign-in-mail.ts'

// AWS's test suite for Signature Version 4: the credentials and the time of all its cases.
const accessKeyId = 'AKIDEXAMPLE'
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const region = 'us-east-1'
const now = new Date('2015-08-30T12:36:00Z')

afterEach(() => {
  vi.useRealTimers()
})

test.each([
  {
    name: 'get-vanilla',
    request: { method: 'GET', headers: {}, body: '' },
    sent: {},
    signed: 'host;x-amz-date',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'post-vanilla',
    request: { method: 'POST', headers: {}, body: '' },
    sent: {},
    signed: 'host;x-amz-date',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-x-www-form-urlencoded',
    request: {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
    },
    sent: { 'content-type': 'application/x-www-form-urlencoded' },
    signed: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    name: 'get-header-value-trim',
    request: {
      method: 'GET',
      headers: { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
      body: '',
    },
    sent: { 'my-header1': 'value1', 'my-header2': '"a   b   c"' }, // trimmed by `Headers`
    signed: 'host;my-header1;my-header2;x-amz-date',
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
])('signs as AWS does: $name', async ({ request, sent, signed, signature }) => {
  const { authorization, ...headers } = await signHeaders({
    ...request,
    url: 'https://example.amazonaws.com/',
    service: 'service',
    region,
    accessKeyId,
    secretAccessKey,
    datetime: '20150830T123600Z',
  })
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
  )
  expect(headers).toEqual({ ...sent, 'x-amz-date': '20150830T123600Z' })
})

// The signatures of botocore 1.43 for the same requests.
test.each([
  {
    name: 'an access key',
    options: {},
    sent: {},
    signed: 'content-type;host;x-amz-date',
    signature: '7e04c5939663f1a8ce02c5737bdb7fcd9ed595dc1451d7c7270c27abb3dbcb42',
  },
  {
    name: 'temporary credentials',
    options: { sessionToken: 'for+a/while=' },
    sent: { 'x-amz-security-token': 'for+a/while=' },
    signed: 'content-type;host;x-amz-date;x-amz-security-token',
    signature: 'e7ce5d729502d9a99e04b39ab20caa0932b2de45ffe63e19cd7cd02d62cba7c7',
  },
])('signs an email with $name', async ({ options, sent, signed, signature }) => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  let headers: unknown
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    ;({ headers } = init)
    return new Response(null, { status: 200 })
  }
  await ses({ region, accessKeyId, secretAccessKey, ...options, fetch }).send(createSignInMail())
  expect(headers).toEqual({
    'content-type': 'application/json',
    'x-amz-date': '20150830T123600Z',
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/ses/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
    accept: 'application/json',
    'user-agent': 'latchkey',
  })
})
