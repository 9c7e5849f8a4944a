import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { allow } from './person.ts'
import type { Service } from './service.ts'

const program = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'))

/** mcp-remote, by which desktop applications reach MCP servers: it registers itself, and keeps its tokens in a folder. */
export async function mcpRemote(service: Service): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'))
  try {
    await call(service, folder)
    // Started again, it has a token that the server refuses, and refreshes without its user.
    const [file = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
      each.endsWith('_tokens.json'),
    )
    const kept: Record<string, unknown> = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    writeFileSync(join(folder, file), JSON.stringify({ ...kept, access_token: 'expired' }))
    const before = service.requests.length
    await call(service, folder)
    const requests = service.requests.slice(before)
    assert(requests.includes('POST /oauth/token 200'), requests.join('\n'))
    assert(!requests.some((each) => each.includes('/authorize')), requests.join('\n'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Starts the program, signs its user in if it asks, and calls a tool. */
async function call(service: Service, folder: string): Promise<void> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, service.resource],
    // It opens a browser, which is the person of this test.
    env: { MCP_REMOTE_CONFIG_DIR: folder, HOME: folder, PATH: '' },
    stderr: 'pipe',
  })
  const lines: string[] = []
  assert(transport.stderr instanceof Readable)
  createInterface(transport.stderr).on('line', (line) => {
    lines.push(line)
    const [url] = /http\S+\/authorize\?\S+/.exec(line) ?? []
    if (url !== undefined) void allow(service, url).then((answer) => fetch(answer))
  })
  const client = new Client({ name: 'counterpart', version: '1' })
  await client.connect(transport)
  const { content } = await client.callTool({ name: 'whoami' })
  assert.deepEqual(content, [{ type: 'text', text: await service.findUserId() }], lines.join('\n'))
  await client.close()
}
