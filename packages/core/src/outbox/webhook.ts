import { toBase64, toUtf8 } from '../crypto/encoding.ts'
import { ConfigurationError } from '../lib/errors.ts'
import { isSecureUrl } from '../http/base-url.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import { lazy } from '../lib/lazy.ts'
import type { Deliver } from './deliver.ts'

/** The options of {@link webhook}. */
export interface WebhookOptions {
  /** Where events are posted: https, or http on loopback. Redirects are not followed. */
  readonly url: string | URL
  /**
   * The secret that the receiver verifies signatures with: `whsec_` and 24 to 64 random bytes in base64. Of a
   * list every secret signs, so that a secret can be replaced.
   */
  readonly secret: string | readonly string[]
}

/**
 * Delivers events to a URL as Standard Webhooks (https://www.standardwebhooks.com): a POST with the JSON
 * `{"type","timestamp","data"}` and the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. An
 * event is delivered if the status is 2xx.
 *
 * @example
 *   import { outbox, webhook } from '@latchkey/core/outbox'
 *
 *   declare const secret: string // whsec_…
 *   const events = outbox({
 *     deliver: webhook({ url: 'https://audit.example.com/latchkey', secret }),
 *   })
 *
 * @throws ConfigurationError `webhook.url` or `webhook.secret`
 */
export function webhook(options: WebhookOptions): Deliver {
  checkKnownNames('webhook', options, ['url', 'secret'])
  const url = parseUrl(options.url)
  const secrets = parseSecrets(options.secret)
  const getKeys = lazy(() => Promise.all(secrets.map(importKey)))
  return async ({ id, type, timestamp, data }, { runtime }) => {
    const body = JSON.stringify({ type, timestamp, data })
    const sentAt = Math.floor(runtime.now() / 1000)
    const signing = (await getKeys()).map((key) => sign(key, `${id}.${sentAt}.${body}`))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${sentAt}`,
      'webhook-signature': (await Promise.all(signing)).join(' '),
    }
    const { status } = await runtime.fetch(url.href, { method: 'POST', headers, body })
    if (status < 200 || status > 299) throw new Error(`${url.host} answered ${status}`)
  }
}

function parseUrl(value: string | URL): URL {
  const url = URL.parse(value)
  if (!url || !isSecureUrl(url))
    throw webhookError('url', 'must be an https URL, or http on loopback')
  if (url.username || url.password) throw webhookError('url', 'must not contain credentials')
  return url
}

const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** With its padding, which the libraries of receivers require. No message shows a secret. */
function parseSecrets(given: string | readonly string[]): readonly Uint8Array<ArrayBuffer>[] {
  const secrets = Array.isArray(given) ? given : [given]
  if (secrets.length === 0) throw webhookError('secret', 'must have a secret')
  return secrets.map((secret) => {
    const binary = atob(SECRET.exec(String(secret))?.[1] ?? '')
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    if (bytes.length >= 24 && bytes.length <= 64) return bytes
    throw webhookError('secret', 'must be whsec_ and 24 to 64 random bytes in base64')
  })
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
}

async function sign(key: CryptoKey, text: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', key, toUtf8(text))
  return `v1,${toBase64(new Uint8Array(mac))}`
}

function webhookError(option: string, problem: string): ConfigurationError {
  return new ConfigurationError(`webhook.${option}`, problem)
}
