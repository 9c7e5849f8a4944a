import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { getFreePort } from '@latchkey/test-support/servers'
import { allow } from './person.ts'
import type { Service } from './service.ts'

/** The revisions of the Model Context Protocol that have scenarios for authorization servers, and the number of their checks. */
const revisions = { '2025-03-26': 2, '2025-06-18': 2, '2025-11-25': 3, '2026-07-28': 3 }
const program = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'),
)

/** The conformance tests of the Model Context Protocol, for authorization servers. */
export async function conformance(service: Service): Promise<void> {
  for (const [revision, count] of Object.entries(revisions)) {
    const output = await check(service, revision)
    assert.match(output, new RegExp(`^Total: ${count} passed, 0 failed$`, 'm'), output)
  }
}

/** Runs all scenarios of a revision, and returns what the program prints. */
async function check(service: Service, revision: string): Promise<string> {
  const port = String(await getFreePort())
  const { issuer, resource } = service
  const parameters = { url: issuer, 'client-id': 'public', resource, port }
  const options = Object.entries(parameters).flatMap(([name, value]) => [`--${name}`, value])
  const args = [program, 'authorization', ...options, '--spec-version', revision]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (line.startsWith(`${issuer}/authorize?`)) url = line
    if (line.startsWith('Callback server started')) await fetch(await allow(service, url))
  }
  return lines.join('\n')
}
