import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getPublicSuffix, getSite } from '../src/http/public-suffix.ts'
import { getConfigError } from './support/service.ts'

const registries = [
  'com',
  'example',
  'co.uk',
  'ltd.uk',
  'me.uk',
  'nhs.uk',
  'plc.uk',
  'com.br',
  'ac.at',
  'or.at',
  'or.jp',
  'ne.jp',
  'go.kr',
]
const governments = ['gob.mx', 'gouv.fr', 'govt.nz', 'gov.au', 'gv.at']
const hosting = [
  'github.io',
  'vercel.app',
  'pages.dev',
  'workers.dev',
  'netlify.app',
  's3.amazonaws.com',
  's3.eu-west-1.amazonaws.com',
  'execute-api.us-east-1.amazonaws.com',
  'us-east-1.elb.amazonaws.com',
  'us-east-1.awsapprunner.com',
  'compute-1.amazonaws.com',
  'eu-west-1.compute.amazonaws.com',
  'westeurope.cloudapp.azure.com',
  'a.run.app',
  'uc.r.appspot.com',
  'appspot.com',
  'web.app',
  'fly.dev',
  'onrender.com',
  'up.railway.app',
  'herokuapp.com',
  'azurewebsites.net',
  'westeurope.azurestaticapps.net',
  'ngrok-free.app',
  'ngrok.io',
  'trycloudflare.com',
  'supabase.co',
  'hf.space',
  'csb.app',
  'preview.csb.app',
  'app.github.dev',
  'riker.replit.dev',
  'repl.co',
  'id.repl.co',
  'ws-eu1.gitpod.io',
  'euw.devtunnels.ms',
  'loca.lt',
  'nip.io',
  'sslip.io',
  '2.3.4.nip.io',
  'westeurope.azurecontainerapps.io',
  'westeurope.azurecontainer.io',
]
const suffixes = [...registries, ...governments, ...hosting]

/** No label of a region, or of a service. */
const label = fc.stringMatching(/^z[a-z\d]{1,8}$/)

describe.each(suffixes)('below %s', (suffix) => {
  test('one more label is a site', () => {
    fc.assert(
      fc.property(label, label, (name, host) => {
        expect(getPublicSuffix(suffix)).toBe(suffix)
        expect(getSite(suffix)).toBeUndefined()
        for (const each of [`${name}.${suffix}`, `${host}.${name}.${suffix}`]) {
          expect([getPublicSuffix(each), getSite(each)]).toEqual([suffix, `${name}.${suffix}`])
        }
      }),
    )
  })

  test('hosts of one site can be trusted origins, and hosts of two sites cannot (I-42)', () => {
    fc.assert(
      fc.property(label, label, label, (one, other, host) => {
        const getError = (origin: string): unknown =>
          getConfigError(() => ({
            serviceUrl: `https://auth.${one}.${suffix}`,
            trustedOrigins: [`https://${origin}`],
          }))?.[0]
        expect(getError(`${host}.${one}.${suffix}`)).toBeUndefined()
        expect(getError(`${one}.${suffix}`)).toBeUndefined()
        expect(getError(suffix)).toBe('trustedOrigins')
        fc.pre(one !== other)
        expect(getError(`${other}.${suffix}`)).toBe('trustedOrigins')
        expect(getError(`auth.${other}.${suffix}`)).toBe('trustedOrigins')
      }),
      { numRuns: 5 },
    )
  })
})

test.each([
  'replit.dev',
  'gitpod.io',
  'devtunnels.ms',
  'azurecontainerapps.io',
  '4.nip.io',
  '3.4.nip.io',
])('anyone can have a host two labels below %s', (suffix) => {
  expect(getPublicSuffix(suffix)).toBe(suffix)
  expect(getSite(suffix)).toBeUndefined()
})

test('the host that an IP address gives is a site', () => {
  for (const suffix of ['nip.io', 'sslip.io']) {
    expect(getSite(`app.1.2.3.4.${suffix}`)).toBe(`1.2.3.4.${suffix}`)
    expect(getSite(`app.1-2-3-4.${suffix}`)).toBe(`1-2-3-4.${suffix}`)
  }
})

test.each(['notgithub.io', 'x.vercel.application', 'github.io.example.com', 'vercelxapp.com'])(
  '%s only resembles a suffix',
  (host) => {
    const labels = host.split('.')
    expect(getPublicSuffix(host)).toBe(labels.at(-1))
    expect(getSite(`a.${host}`)).toBe(labels.slice(-2).join('.'))
  },
)

test('the suffix of any host is at its end, and begins with a label', () => {
  const part = fc.constantFrom(
    'co',
    'uk',
    'github',
    'io',
    's3',
    'amazonaws',
    'com',
    'r',
    'run',
    'app',
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (labels) => {
      const host = labels.join('.')
      const suffix = getPublicSuffix(host)
      expect(suffix).not.toBe('')
      expect(`.${host}`.endsWith(`.${suffix}`)).toBe(true)
    }),
  )
})
