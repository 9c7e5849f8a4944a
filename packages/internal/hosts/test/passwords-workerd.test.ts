/** Runs the hasher and the verifiers of `@latchkey/passwords` that use `node:crypto` in workerd. */
import { readFile } from 'node:fs/promises'
import { scrypt } from '@latchkey/passwords/scrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram } from './support/ask-worker.ts'
import type { AskedWorker } from './support/ask-worker.ts'

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
  let worker: AskedWorker
  const ask: AskedWorker['ask'] = (path, body) => worker.ask(path, body)
  beforeAll(async () => {
    worker = await startProgram(program, { compatibilityFlags: ['nodejs_compat'] })
  })
  afterAll(() => worker[Symbol.asyncDispose]())

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
