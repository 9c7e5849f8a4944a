import assert from 'node:assert/strict'
import { TOTP, URI } from 'otpauth'
import type { CodeApp } from '../subject.ts'

const PERIOD = 30_000

/**
 * Creates an authenticator app from a key URI, and proves its first code. Later codes belong to the next periods, since a
 * code works once: services accept them early.
 *
 * @param prove Posts a code to the service
 */
export async function enrolApp(
  uri: string,
  prove: (code: string) => Promise<Response>,
): Promise<CodeApp> {
  const app = URI.parse(uri)
  assert.ok(app instanceof TOTP, 'expected a key for TOTP')
  const generate = (periods: number): string =>
    app.generate({ timestamp: Date.now() + periods * PERIOD })
  const { status } = await prove(generate(0))
  assert.ok(status < 400, `the first code is refused: ${status}`)
  let used = 0
  return { generate: async () => generate(++used) }
}
