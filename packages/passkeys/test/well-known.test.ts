import type { WellKnownHandler } from '@latchkey/passkeys/well-known'
import {
  appleAppSiteAssociation,
  assetLinks,
  passkeyEndpoints,
  relatedOrigins,
  toAndroidOrigin,
} from '@latchkey/passkeys/well-known'
import { describe, expect, test } from 'vitest'

const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 8))
const fingerprint = bytes.toString('hex').replaceAll(/(..)(?!$)/g, '$1:')
const upper = fingerprint.toUpperCase()

/** Answers two requests, and returns the document. */
async function read(handler: WellKnownHandler): Promise<unknown> {
  const [first, second] = [handler(), handler()]
  expect(first.status).toBe(200)
  expect(first.headers.get('content-type')).toBe('application/json')
  const text = await first.text()
  expect(await second.text()).toBe(text)
  return JSON.parse(text)
}

describe('relatedOrigins', () => {
  test('lists origins, also with ports and in other countries', async () => {
    const origins = ['https://example.com', 'https://example.co.uk', 'https://app.example.de:8443']
    expect(await read(relatedOrigins(origins))).toEqual({ origins })
  })

  test('accepts the origins of the example of WebAuthn §5.11', async () => {
    const hosts = [
      ...['co.uk', 'de', 'sg', 'net'].map((domain) => `example.${domain}`),
      ...['com', 'co.uk', 'de', 'sg'].map((domain) => `exampledelivery.${domain}`),
      'myexamplerewards.com',
      'examplecars.com',
    ]
    const origins = hosts.map((host) => `https://${host}`)
    expect(await read(relatedOrigins(origins))).toEqual({ origins })
  })

  const words = ['one', 'two', 'three', 'four', 'five', 'six']

  test.each(['com', 'co.uk', 'com.br'])('refuses the sixth label before %s', (domain) => {
    const origins = words.map((word, i) => `https://${i % 2 ? '' : 'www.'}${word}.${domain}`)
    expect(() => relatedOrigins(origins.slice(0, 5))).not.toThrow()
    for (const known of ['https://one.org', 'https://awww.one.org']) {
      expect(() => relatedOrigins([...origins.slice(0, 5), known])).not.toThrow()
    }
    expect(() => relatedOrigins(origins)).toThrow(
      new TypeError(
        `origins[5] has the sixth registrable origin label, and clients read five: https://six.${domain}`,
      ),
    )
  })

  test.each([
    'http://example.com',
    'https://example.com/',
    'https://example.com/path',
    'https://EXAMPLE.com',
    'https://example.com:443',
    'https://user@example.com',
    'https://*.example.com',
    'https://localhost',
    'https://example.com.',
    'https://192.0.2.1',
    'https://[2001:db8::1]',
    'example.com',
    '',
  ])('refuses %j, which is not an https origin with a domain', (origin) => {
    expect(() => relatedOrigins(['https://example.com'])).not.toThrow()
    expect(() => relatedOrigins(['https://example.com', origin])).toThrow(
      new TypeError(
        `origins[1] is not an https origin with a domain (expected e.g. https://app.example.com), found "${origin}"`,
      ),
    )
  })

  test('refuses an empty list of origins', () => {
    expect(() => relatedOrigins([])).toThrow('origins must have at least one origin')
  })
})

describe('passkeyEndpoints', () => {
  const endpoints = {
    enroll: 'https://example.com/account/passkeys/new',
    manage: 'https://example.com/account/passkeys',
    prfUsageDetails: 'https://help.example.com/passkeys',
  }

  test('answers the URLs', async () => {
    expect(await read(passkeyEndpoints(endpoints))).toEqual(endpoints)
  })

  test('leaves out what is undefined', async () => {
    const { enroll, manage } = endpoints
    expect(await read(passkeyEndpoints({ enroll, manage }))).toEqual({ enroll, manage })
    expect(await read(passkeyEndpoints({}))).toEqual({})
  })

  test.each(['enroll', 'manage', 'prfUsageDetails'])('refuses an invalid URL as %s', (name) => {
    expect(() => passkeyEndpoints(endpoints)).not.toThrow()
    for (const url of ['/account', 'http://example.com/account', 'javascript:alert(1)', '']) {
      expect(() => passkeyEndpoints({ ...endpoints, [name]: url })).toThrow(
        new TypeError(`${name} is not an https URL, found "${url}"`),
      )
    }
  })
})

describe('appleAppSiteAssociation', () => {
  const apps = ['A1B2C3D4E5.com.example.app', 'A1B2C3D4E5.com.example.app-beta']

  test('lists the applications', async () => {
    expect(await read(appleAppSiteAssociation({ apps }))).toEqual({ webcredentials: { apps } })
  })

  test.each([
    'com.example.app',
    'A1B2C3D4E5',
    'a1b2c3d4e5.com.example.app',
    '0A1B2C3D4E5.com.example.app',
    'A1B2C3D4E5.com.*',
    '',
  ])('refuses %j, which is not an application identifier', (app) => {
    expect(() => appleAppSiteAssociation({ apps })).not.toThrow()
    expect(() => appleAppSiteAssociation({ apps: [...apps, app] })).toThrow(
      `apps[2] is not a team ID and a bundle ID (expected e.g. A1B2C3D4E5.com.example.app), found "${app}"`,
    )
  })

  test('refuses an empty list of applications', () => {
    expect(() => appleAppSiteAssociation({ apps: [] })).toThrow(
      'apps must have at least one application',
    )
  })
})

describe('assetLinks', () => {
  const app = { packageName: 'com.example.app', fingerprints: [fingerprint] }
  const target = {
    namespace: 'android_app',
    package_name: 'com.example.app',
    sha256_cert_fingerprints: [upper],
  }

  test('shares credentials only', async () => {
    const relation = ['delegate_permission/common.get_login_creds']
    expect(await read(assetLinks({ ...app, handleAllUrls: false }))).toEqual([{ relation, target }])
  })

  test('shares links too, for several applications', async () => {
    const credentials = 'delegate_permission/common.get_login_creds'
    const links = 'delegate_permission/common.handle_all_urls'
    const beta = { packageName: 'com.example.beta', fingerprints: [upper, fingerprint] }
    expect(await read(assetLinks(app, { ...beta, handleAllUrls: false }))).toEqual([
      { relation: [links, credentials], target },
      {
        relation: [credentials],
        target: {
          ...target,
          package_name: 'com.example.beta',
          sha256_cert_fingerprints: [upper, upper],
        },
      },
    ])
  })

  test.each(['example', 'com..app', '1com.example.app', 'com.example.1app', 'com.example app', ''])(
    'refuses %j, which is not the name of a package',
    (packageName) => {
      expect(() => assetLinks(app)).not.toThrow()
      expect(() => assetLinks({ ...app, packageName })).toThrow(
        `packageName is not the name of a package (expected e.g. com.example.app), found "${packageName}"`,
      )
    },
  )

  test('refuses lists without a value', () => {
    expect(() => assetLinks()).toThrow('assetLinks must have at least one application')
    expect(() => assetLinks({ ...app, fingerprints: [] })).toThrow(
      'fingerprints must have at least one',
    )
  })
})

describe('fingerprints', () => {
  test.each([fingerprint, upper])('%s is converted to the origin of an application', (text) => {
    expect(toAndroidOrigin(text)).toBe(`android:apk-key-hash:${bytes.toString('base64url')}`)
  })

  test.each([fingerprint.replaceAll(':', ''), fingerprint.slice(3), `${fingerprint}:00`, ''])(
    '%j is refused',
    (text) => {
      const message = `is not SHA-256 in hexadecimal with colons, found "${text}"`
      expect(() => toAndroidOrigin(text)).toThrow(new TypeError(`fingerprint ${message}`))
      const app = { packageName: 'com.example.app', fingerprints: [upper, text] }
      expect(() => assetLinks(app)).toThrow(new TypeError(`fingerprints[1] ${message}`))
    },
  )
})

test('origins of one registrable label count once, whatever is before and behind it', () => {
  const same = ['com', 'net', 'org', 'co.uk', 'de', 'com.br'].map(
    (suffix, i) => `https://x${i}.one.${suffix}`,
  )
  expect(() => relatedOrigins(same)).not.toThrow()
  const different = same.map((origin, i) => origin.replace('one', `one${i}`))
  expect(() => relatedOrigins(different)).toThrow('the sixth registrable origin label')
})
