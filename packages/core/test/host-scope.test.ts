import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getHostScope } from '../src/http/host-scope.ts'

const getScope = (host: string): string => getHostScope(new URL(`https://${host}/`))

describe('the scope of a host (I-26)', () => {
  test.each([
    ['public', 'issuer.example', '10.example.com', '127.0.0.1.example.com', 'localhost.example'],
    ['public', '10.example.com.', '1.10.2.3', '8.8.192.168', '8.172.16.1', '9.100.64.1'],
    ['public', '1.1.1.1', '9.255.255.255', '11.0.0.1', '126.1.1.1', '128.0.0.1', '223.255.255.255'],
    ['public', '100.63.0.1', '100.128.0.1', '169.253.0.1', '169.255.0.1', '172.15.0.1'],
    ['public', '172.32.0.1', '192.167.0.1', '192.169.0.1', '[2001:db8::1]', '[2606:4700::1111]'],
    ['public', '[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]', '[2002:808:808::1]', 'a.local.example'],
    [
      'private',
      '10.0.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '172.16.0.1',
      '172.31.0.1',
      '192.168.0.1',
    ],
    ['private', '[fc00::1]', '[fdff::1]', '[fec0::1]', '[::ffff:10.0.0.1]', '[64:ff9b::10.0.0.1]'],
    [
      'private',
      'intranet',
      'intranet.',
      'printer.local',
      'a.internal',
      'a.internal.',
      'a.home.arpa',
    ],
    ['loopback', 'localhost', 'LocalHost', 'localhost.', 'a.localhost', '127.0.0.1', '127.255.1.2'],
    ['loopback', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '127.0.0.1.', '[::1]', '[0::0:1]'],
    ['loopback', '[::ffff:127.0.0.1]', '[::ffff:7fff:1]', '[::127.0.0.1]', '[2002:7f00:1::]'],
    [
      'reserved',
      '0.0.0.0',
      '0',
      '0.1.2.3',
      '169.254.169.254',
      '224.0.0.1',
      '239.1.1.1',
      '240.0.0.1',
    ],
    ['reserved', '255.255.255.255', '[::]', '[::ffff:0:0]', '[fe80::1]', '[febf::1]', '[ff02::1]'],
  ])('%s: %s, %s, …', (scope, ...hosts) => {
    expect(Object.fromEntries(hosts.map((host) => [host, getScope(host)]))).toEqual(
      Object.fromEntries(hosts.map((host) => [host, scope])),
    )
  })

  test('is the same for every spelling of an IPv4 address', () => {
    const toSpellings = (number: number): string[] => {
      const bytes = [24, 16, 8, 0].map((bits) => (number >>> bits) & 255)
      const dotted = bytes.join('.')
      const octal = bytes.map((byte) => `0${byte.toString(8)}`).join('.')
      const hex = `0x${number.toString(16)}`
      return [dotted, `${dotted}.`, String(number), hex, octal, `[::ffff:${dotted}]`]
    }
    fc.assert(
      fc.property(fc.nat(0xffffffff), (number) => {
        expect(new Set(toSpellings(number).map(getScope)).size).toBe(1)
      }),
    )
  })
})
