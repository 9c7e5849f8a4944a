import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startDemo } from './support/demo.ts'

const root = resolve(import.meta.dirname, '../../..')
const hasCurl = succeeds('curl', ['--version'])
if (!hasCurl) console.warn('Skipped: the commands of the manual, as curl is not installed')

test.runIf(hasCurl)('the commands of the manual have the output that it shows', async () => {
  const transcript = /```sh\n(jar=[^]*?)```/.exec(
    readFileSync(`${root}/apps/docs/pages/reference/curl.md`, 'utf8'),
  )?.[1] as string
  const { program, ports } = await startDemo()
  onTestFinished(async () => void (await program.stop()))

  const script = transcript
    .replaceAll(/(:|%3A)3000/g, `$1${ports.PORT}`)
    .replaceAll(':4001', `:${ports.IDP_PORT}`)
  const output = execFileSync('bash', ['-eu'], { input: script, encoding: 'utf8' })
  const expected = [...script.matchAll(/^# ((?:\{|http|\d).*)$/gm)].map(
    ([, line]) => line as string,
  )
  expect(expected).toHaveLength(6)
  expect(normalize(output)).toBe(normalize(expected.join('')))
})

/** Removes what differs between two runs, and line ends, because some bodies do not end with one. */
function normalize(text: string): string {
  return text
    .replaceAll(
      /(csrfToken":"|state=|nonce=|code_challenge=|expires":"|"user":{"id":")[^"&]*/g,
      '$1…',
    )
    .replaceAll('\n', '')
}

function succeeds(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
