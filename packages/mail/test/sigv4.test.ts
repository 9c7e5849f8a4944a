import { expect, test } from 'vitest'
import { signV4 } from '../src/http/sigv4.ts'

// AWS's own test suite for Signature Version 4: signer and time of all its cases.
const signer = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
}
const now = new Date('2015-08-30T12:36:00Z')
const url = new URL('https://example.amazonaws.com/')

test.each([
  {
    name: 'get-vanilla',
    request: { method: 'GET', headers: {}, body: '' },
    signed: 'host;x-amz-date',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'post-vanilla',
    request: { method: 'POST', headers: {}, body: '' },
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
    signed: 'host;my-header1;my-header2;x-amz-date',
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
])('$name', async ({ request, signed, signature }) => {
  const { authorization, ...headers } = await signV4({ ...request, url }, signer, now)
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
  )
  expect(headers).toEqual({ ...request.headers, 'x-amz-date': '20150830T123600Z' })
})
