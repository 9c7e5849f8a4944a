/** What a native client needs of Node, for command lines and Electron. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { dirname, isAbsolute } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { SystemBrowser, TokenStore } from './native-options.ts'

/** The options of {@link loopbackBrowser}; all are optional. */
export interface LoopbackOptions {
  /** The path of the `redirect_uri`. Default: `/callback` */
  readonly path?: string
  /** The port, if the authorization server compares it. Default: a free one (RFC 8252 §7.3) */
  readonly port?: number
  /** Opens a URL in the browser of the system; Electron has `shell.openExternal`. Default: the command of the platform. */
  readonly open?: (url: string) => Promise<unknown>
  /** The page that the browser shows at the end. Default: a sentence in English. */
  readonly html?: string
}

const page =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Continue</title>' +
  '<p>You can close this window and continue in the application.'

/**
 * Creates a {@link SystemBrowser} that returns to a listener at 127.0.0.1, which runs only during a sign-in.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function loopbackBrowser(options: LoopbackOptions = {}): SystemBrowser {
  const { path = '/callback', port = 0, open: openUrl = openSystemBrowser, html = page } = options
  if (!/^\/[\w\-./~]*$/.test(path)) throw new TypeError('loopbackBrowser: path must begin with /')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError('loopbackBrowser: port must be a port')
  }
  const redirectUri = new URL(path, 'http://127.0.0.1')
  if (port !== 0) redirectUri.port = String(port)
  return {
    redirectUri: redirectUri.href,
    async visit(getUrl, signal) {
      const server = createServer()
      try {
        const own = new URL(redirectUri)
        own.port = String(await listen(server, port))
        signal.throwIfAborted()
        const url = getUrl(own.href)
        const [returned] = await Promise.all([
          receive(server, own, url, html, signal),
          openUrl(url),
        ])
        return returned
      } finally {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}

/** Waits for the response with the state of the request: any other program of the machine can send requests, too. */
function receive(
  server: Server,
  redirectUri: URL,
  request: string,
  html: string,
  signal: AbortSignal,
): Promise<string> {
  const state = new URL(request).searchParams.get('state')
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    server.on('request', ({ method, url = '' }: IncomingMessage, response: ServerResponse) => {
      const found = URL.parse(url, redirectUri.origin)
      if (method !== 'GET' || found?.pathname !== redirectUri.pathname)
        return end(response, 404, '')
      if (found.searchParams.get('state') !== state) return end(response, 400, '')
      response.once('close', () => resolve(found.href))
      end(response, 200, html)
    })
  })
}

function end(response: ServerResponse, status: number, html: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    // The URL has the code.
    'referrer-policy': 'no-referrer',
    connection: 'close',
  }
  response.writeHead(status, headers).end(html)
}

/** No shell reads the URL. */
async function openSystemBrowser(url: string): Promise<void> {
  const [command = 'xdg-open', ...args] = openers[process.platform] ?? []
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  try {
    await once(child, 'spawn')
  } catch (cause) {
    throw new Error(`${command} does not start: use signInByDevice, or the option open`, { cause })
  }
  child.unref()
}

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Milliseconds after which the process that holds the lock has died: longer than a refresh with its repetition takes. */
const STALE = 60_000

/**
 * Creates a {@link TokenStore} in a file that only its user can read. Its lock is a file beside it, so that of several
 * processes one refreshes.
 *
 * @param path An absolute path
 *
 * @throws TypeError if the path is not absolute
 */
export function fileTokenStore(path: string): TokenStore {
  if (!isAbsolute(path)) throw new TypeError('fileTokenStore: path must be absolute')
  return {
    get: () => readFile(path, 'utf8').catch(ignore('ENOENT')),
    set: (text) => writePrivate(path, text),
    delete: () => rm(path, { force: true }),
    async lock(work) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return hold(`${path}.lock`, work)
    },
  }
}

/** A reader finds the previous text or the new one, never a part. */
async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, text, { mode: 0o600 })
  // The mode above counts only for a new file.
  await chmod(temporary, 0o600)
  await rename(temporary, path)
}

/** Does some work while no other process has the lock. */
async function hold<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const since = await acquire(lock)
  try {
    return await work()
  } finally {
    // After that time, it may be the lock of another process.
    if (Date.now() - since < STALE) await rm(lock, { force: true })
  }
}

/** Returns since when this process has the lock, in milliseconds since 1970. */
async function acquire(lock: string): Promise<number> {
  for (;;) {
    const now = Date.now()
    const file = await open(lock, 'wx').catch(ignore('EEXIST'))
    if (file) return file.close().then(() => now)
    // Before it is removed, another process may have replaced a stale lock. So one process at a time checks again and removes
    // it, in a second lock, which is replaced in the same way if its process dies.
    if (await isStale(lock)) await hold(`${lock}.stale`, () => removeStale(lock))
    else await setTimeout(50)
  }
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(ignore('ENOENT'))
  return found !== undefined && Date.now() - found.mtimeMs > STALE
}

async function removeStale(lock: string): Promise<void> {
  if (await isStale(lock)) await rm(lock, { force: true })
}

/** Returns a function that throws every error but one. */
function ignore(code: string): (thrown: unknown) => undefined {
  return (thrown) => {
    if (Object(thrown).code !== code) throw thrown
    return undefined
  }
}
