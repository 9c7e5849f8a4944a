/** Runs the hasher and the verifiers of `@latchkey/passwords` that use `node:crypto` in workerd. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { scrypt } from '@latchkey/passwords/scrypt'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleWorker } from '../src/bundle.ts'

interface ImportedHash {
  readonly verifier: string
  readonly password: string
  readonly hash: string
}

const tests = new URL('../../../passwords/test/support/imported-hashes.json', import.meta.url)
const imported: readonly ImportedHash[] = JSON.parse(await readFile(tests, 'utf8'))
const [firebaseKey, password] = [
  'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  'correct horse, Zoë 😀',
]

const program = `
  import { scrypt } from '@latchkey/passwords/scrypt'
  import { betterAuth } from '@latchkey/passwords/verifiers/better-auth'
  import { django } from '@latchkey/passwords/verifiers/django'
  import { firebase } from '@latchkey/passwords/verifiers/firebase'
  import { keycloak } from '@latchkey/passwords/verifiers/keycloak'
  const project = { signerKey: '${firebaseKey}', saltSeparator: 'Bw==', rounds: 8, memCost: 14 }
  const verifiers = { betterAuth: betterAuth(), firebase: firebase(project), keycloak: keycloak() }
  const hasher = scrypt()
  const run = {
    hash: ({ password }) => hasher.hash(password),
    verify: ({ password, hash }) => hasher.verify(password, hash),
    import: ({ verifier, password, hash }) => verifiers[verifier].verify(password, hash),
    reason: () => django().getUnsupportedReason(),
  }
  export default {
    async fetch(request) {
      return Response.json(await run[new URL(request.url).pathname.slice(1)](await request.json()))
    },
  }`

describe('in workerd with nodejs_compat', () => {
  let miniflare: Miniflare
  beforeAll(async () => {
    const contents = await bundleWorker({
      stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    })
    miniflare = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents }],
      compatibilityDate: '2026-07-01',
      compatibilityFlags: ['nodejs_compat'],
    })
    await miniflare.ready
  })
  afterAll(() => miniflare.dispose())

  const ask = async (path: string, body: object): Promise<unknown> => {
    const url = new URL(path, await miniflare.ready)
    return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()
  }

  test('scrypt makes hashes of 16 MiB, which Node verifies', async () => {
    const hash = String(await ask('/hash', { password }))
    expect(hash).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$/)
    expect(await scrypt().verify(password, hash)).toBe(true)
    expect(await ask('/verify', { password, hash })).toBe(true)
    expect(await ask('/verify', { password: `${password}x`, hash })).toBe(false)
  })

  test.each(
    imported.filter(({ verifier }) => ['betterAuth', 'firebase', 'keycloak'].includes(verifier)),
  )('$verifier verifies the hash %# of $password', async (row) => {
    expect(await ask('/import', row)).toBe(true)
    expect(await ask('/import', { ...row, password: `${row.password}x` })).toBe(false)
  })

  test('Django is not supported', async () => {
    expect(await ask('/reason', {})).toBe('workerd computes at most 100,000 iterations of PBKDF2')
  })
})
