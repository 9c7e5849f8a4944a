import { getClientIp, readClientIpHeader, readEnvironment } from '@latchkey/environment'
import { describe, expect, test } from 'vitest'

const read = (value: unknown): string | undefined =>
  readEnvironment({ AUTH_CLIENT_IP_HEADER: value }, readClientIpHeader)

describe('readClientIpHeader', () => {
  test.each([
    ['X-Forwarded-For', 'X-Forwarded-For'],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j', (value, expected) => expect(read(value)).toBe(expected))

  test.each(['X: Y', 'x forwarded for', 'x-forwarded-for,', 'é'])('%j is refused', (value) => {
    expect(() => read(value)).toThrow('AUTH_CLIENT_IP_HEADER: must be the name of a header')
  })
})

describe('getClientIp', () => {
  const headers = new Headers([
    ['X-Forwarded-For', '203.0.113.1, 203.0.113.2'],
    ['X-Forwarded-For', ' 192.0.2.1 '],
  ])

  test('is the last IP address in the header of the reverse proxy', () => {
    expect(getClientIp(headers, 'x-forwarded-for', '10.0.0.1')).toBe('192.0.2.1')
  })

  test('is unknown if the reverse proxy does not send the header', () => {
    expect(getClientIp(headers, 'x-real-ip', '10.0.0.1')).toBeUndefined()
  })

  test('is read from the connection without a reverse proxy, whatever the headers say', () => {
    expect(getClientIp(headers, undefined, '10.0.0.1')).toBe('10.0.0.1')
  })
})
