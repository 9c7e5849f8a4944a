import { expect, test } from 'vitest'
import { enrol, origin, prove, signIn } from '../../../second-factor/test/support/sign-in.ts'
import { startProgram } from './support/ask-worker.ts'

const STEP_MS = 30_000

/** A Worker as its READMEs say, in D1, with authenticator apps and recovery codes. */
const program = `
  import { createAuth } from '@latchkey/core'
  import { confirmation } from '@latchkey/core/confirmation'
  import { credentials } from '@latchkey/core/providers/credentials'
  import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
  import { d1Storage } from '@latchkey/storage-sql/d1'
  import { sqlFactors } from '@latchkey/storage-sql/factors'
  const people = credentials({
    fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
    authorize: async ({ name }) => ({ id: name, name }),
  })
  async function start(database) {
    const storage = d1Storage(database, { factors: sqlFactors() })
    await storage.migrate()
    return createAuth({
      serviceUrl: '${origin}',
      secret: 'the secret of the Worker under test',
      providers: [people],
      storage,
      use: [confirmation(), secondFactor({ methods: [totp(), recoveryCodes()] })],
    })
  }
  let starting
  export default {
    fetch: async (request, { DB }) => (await (starting ??= start(DB))).handle(request),
  }`

test('workerd with D1, without nodejs_compat: a user enrols, and signs in with an app and with a recovery code', async () => {
  await using worker = await startProgram(program, { d1Databases: ['DB'] })
  const now = Date.now()
  const { app, codes } = await enrol(await signIn(worker, 'ada'), now)
  expect(codes).toHaveLength(10)
  const second = await signIn(worker, 'ada')
  expect(await second.json('/session')).toEqual({})
  expect(await prove(second, 'totp', app.generate({ timestamp: now }))).toEqual([401, false])
  const next = app.generate({ timestamp: now + STEP_MS })
  expect(await prove(second, 'totp', next)).toEqual([302, true])
  expect(await prove(await signIn(worker, 'ada'), 'recovery', codes[0] ?? '')).toEqual([302, true])
})
