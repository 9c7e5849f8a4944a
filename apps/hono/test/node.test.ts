import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { getCompileCache } from '@latchkey/test-support/program'
import { getFreePort } from '@latchkey/test-support/servers'
import { Person } from './support/person.ts'

test('starts with no settings and no network, serves, and stops at SIGTERM', async () => {
  const [port, idpPort] = [
    String(await getFreePort('localhost')),
    String(await getFreePort('localhost')),
  ]
  const child = spawn(process.execPath, ['src/node.ts'], {
    cwd: resolve(import.meta.dirname, '..'),
    env: { ...getCompileCache(), PORT: port, IDP_PORT: idpPort, DATABASE: ':memory:' },
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

test.each([
  [{ AUTH_URL: 'https://a.example' }, 'AUTH_URL: is not a variable of Latchkey: did you mean'],
  [{ AUTH_GITHUB_ID: 'id' }, 'AUTH_GITHUB_SECRET: is missing, but AUTH_GITHUB_ID is set'],
  [
    { DATABASE: '/no/such/folder/notes.sqlite' },
    'DATABASE: the folder /no/such/folder does not exist',
  ],
  [{ PORT: '99999' }, 'PORT: must be a whole number from 1 to 65535'],
  [{ IDP_PORT: 'x' }, 'IDP_PORT: must be a whole number from 1 to 65535'],
  [{ HOST: '192.0.2.1' }, 'HOST: 192.0.2.1 is not a host of this machine (EADDRNOTAVAIL)'],
])('%j: prints one line, and exits with code 1', async (variables, line) => {
  const [port, idpPort] = [
    String(await getFreePort('localhost')),
    String(await getFreePort('localhost')),
  ]
  const child = spawn(process.execPath, ['src/node.ts'], {
    cwd: resolve(import.meta.dirname, '..'),
    env: {
      ...getCompileCache(),
      PORT: port,
      IDP_PORT: idpPort,
      DATABASE: ':memory:',
      ...variables,
    },
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await once(child, 'close')) as [number]
  const [stdout, stderr] = await output
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toContain(line)
})
