import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { getFreePort } from '../../node/test/support/program.ts'
import { Person } from './support/person.ts'

test('starts with no settings and no network, serves, and stops at SIGTERM', async () => {
  const [port, idpPort] = [String(await getFreePort()), String(await getFreePort())]
  const child = spawn(process.execPath, ['src/node.ts'], {
    cwd: resolve(import.meta.dirname, '..'),
    env: { PORT: port, IDP_PORT: idpPort, DATABASE: ':memory:' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [output, errors] = ['', '']
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (output.includes('Ctrl+C')) break
  }
  const url = `http://localhost:${port}`
  expect(output).toBe(
    `Sign in as Alice or Bob, at http://localhost:${idpPort}\nThe application is at ${url}. Stop: Ctrl+C\n`,
  )

  const alice = new Person(fetch, url)
  expect(await alice.signIn('Alice', '/notes')).toBe(`${url}/notes`)
  await alice.send('/notes', { text: 'from Node' })
  expect(await alice.read('/notes')).toContain('from Node')

  child.kill('SIGTERM')
  const [code] = (await once(child, 'close')) as [number]
  expect([code, errors]).toEqual([0, ''])
})
