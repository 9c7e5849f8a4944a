import { createAuth } from '@latchkey/core'
import type { AuthConfig, Logger, Provider } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { describeThrown } from '../lib/cli-error.ts'
import type { Clock } from './clock.ts'
import { broken, note, ok } from './finding.ts'
import type { Finding } from './finding.ts'
import { readText } from '../lib/members.ts'

/** What the checks of providers need. */
export interface ProviderChecks {
  readonly config: Pick<AuthConfig, 'serviceUrl' | 'providers'>
  readonly clock: Clock
  readonly fetch: typeof fetch
}

/**
 * Begins a sign-in at each identity provider, through a service in this process: discovery, the
 * authorization request with its redirect URI, and the client's authentication at the token endpoint,
 * with a code that no provider has issued.
 */
export async function getProvidersFindings(checks: ProviderChecks): Promise<readonly Finding[]> {
  const providers = checks.config.providers.filter(
    ({ type }) => type === 'oidc' || type === 'oauth',
  )
  const findings = await Promise.all(
    providers.map((provider) => getProviderFindings(provider, checks)),
  )
  return findings.flat()
}

/** A service in this process with one provider, and what it logs. */
interface Trial {
  readonly provider: Provider
  readonly browser: Browser
  readonly redirectUri: string
  /** The redirect URI as it is printed: without a service URL it is a guess. */
  readonly shownUri: string
  /** Causes of errors, outermost first. */
  readonly causes: string[]
  /** The issuer that discovery has returned. */
  readonly getIssuer: () => string | undefined
}

async function getProviderFindings(
  provider: Provider,
  checks: ProviderChecks,
): Promise<readonly Finding[]> {
  const trial = createTrial(provider, checks)
  const response = await trial.browser.submit(`/signin/${provider.id}`)
  const location = URL.parse(response.headers.get('location') ?? '')
  if (!location || location.origin === new URL(trial.browser.base).origin) {
    return [describeBeginning(trial)]
  }
  const authorization = await getAuthorizationFinding(trial, location, checks.fetch)
  return [authorization, await getClientFinding(trial, location)]
}

function createTrial(provider: Provider, { config, clock, fetch }: ProviderChecks): Trial {
  const causes: string[] = []
  let issuer: string | undefined
  const record: Logger['error'] = (message, details) =>
    void causes.push(...(details.causes ?? [message]))
  const { handle, basePath } = createAuth({
    serviceUrl: config.serviceUrl ?? 'http://localhost:3000',
    // For this trial only.
    secret: crypto.randomUUID() + crypto.randomUUID(),
    storage: memoryStorage(),
    providers: [provider],
    logger: { error: record, warn: record },
    runtime: {
      fetch: async (url, init) => {
        const response = await clock.watch(() => fetch(url, init))
        if (url.includes('/.well-known/')) issuer = await readIssuer(response.clone())
        return response
      },
    },
  })
  const { origin } = new URL(config.serviceUrl ?? 'http://localhost:3000')
  const base = origin + basePath
  const browser = new Browser(handle, base)
  const redirectUri = `${base}/callback/${provider.id}`
  const guess = config.serviceUrl === undefined ? ' (a guess: serviceUrl is not set)' : ''
  const shownUri = redirectUri + guess
  return { provider, browser, redirectUri, shownUri, causes, getIssuer: () => issuer }
}

async function readIssuer(response: Response): Promise<string | undefined> {
  const metadata: unknown = await response.json().catch(() => undefined)
  return readText(metadata, 'issuer')
}

function describeBeginning({ provider, causes }: Trial): Finding {
  const causesText = causes.join(': ') || 'the sign-in did not begin'
  return broken(
    provider.id,
    causesText,
    'check the issuer or the URL, and that this machine reaches it',
  )
}

/** The parts of error pages that name the redirect URI, or the client. */
const complaints = [
  {
    pattern: /redirect[ _-]?ur[il]/i,
    text: 'refuses the redirect URI',
    fix: (trial: Trial) => `register exactly ${trial.shownUri} at the provider`,
  },
  {
    pattern: /invalid_client|unauthorized_client|client[ _]?id|client (is|was) not|unknown client/i,
    text: 'does not know the client',
    fix: () => 'compare the client id with the console of the provider',
  },
]

/** Opens the authorization request without a cookie, as a new browser does. */
async function getAuthorizationFinding(
  trial: Trial,
  location: URL,
  send: typeof fetch,
): Promise<Finding> {
  const { id } = trial.provider
  try {
    const { response, url } = await follow(location, trial.redirectUri, send)
    if (url.href.startsWith(trial.redirectUri)) return describeReturn(trial, url)
    const text = response.status >= 400 || /error/i.test(url.href) ? await response.text() : ''
    // The parameters of the authorization request always name the redirect URI.
    const parameters = url.href === location.href ? '' : url.search
    const complaint = complaints.find(({ pattern }) =>
      pattern.test(`${parameters} ${toText(text)}`),
    )
    if (complaint && text !== '') return broken(id, complaint.text, complaint.fix(trial))
    if (response.status >= 400) {
      return broken(
        id,
        `answers the authorization request with ${response.status}`,
        `open ${location.origin} in a browser`,
      )
    }
    return ok(id, `shows its sign-in page for ${trial.shownUri}`)
  } catch (thrown) {
    return broken(id, `the authorization endpoint: ${describeThrown(thrown)}`, 'check the network')
  }
}

/** An error that the provider returns to the callback, such as an unknown scope. */
function describeReturn({ provider }: Trial, url: URL): Finding {
  const error = url.searchParams.get('error')
  if (error === null) return ok(provider.id, 'answers the authorization request immediately')
  const description = url.searchParams.get('error_description') ?? ''
  const isInteraction = /^(login|interaction|consent)_required$/.test(error)
  if (isInteraction) return ok(provider.id, 'accepts the authorization request')
  return broken(provider.id, `answers ${error}: ${description}`, 'check the client at the provider')
}

/** Follows redirects until a page, or the redirect URI. */
async function follow(
  start: URL,
  redirectUri: string,
  send: typeof fetch,
): Promise<{ readonly response: Response; readonly url: URL }> {
  let url = start
  const cookies = new Map<string, string>()
  for (let hops = 0; ; hops++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await send(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }) },
      signal: AbortSignal.timeout(10_000),
    })
    const next = response.headers.get('location')
    if (next === null || hops === 5) return { response, url }
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line)
    url = new URL(next, url)
    if (url.href.startsWith(redirectUri)) return { response, url }
  }
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
  if (name !== undefined) cookies.set(name, value ?? '')
}

/** Removes markup, scripts and styles, whose names of variables say nothing. */
function toText(markup: string): string {
  return markup.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replaceAll(/<[^>]*>/g, ' ')
}

/**
 * Returns to the callback with a code that was never issued. The provider first authenticates the
 * client (RFC 6749 §5.2): `invalid_grant` means that it did, `invalid_client` that it refused it.
 */
async function getClientFinding(trial: Trial, location: URL): Promise<Finding> {
  const { provider, browser, causes, redirectUri } = trial
  const state = location.searchParams.get('state')
  if (state === null)
    return note(
      provider.id,
      'the client secret was not tried: the request was pushed',
      'sign in once to try it',
    )
  const callback = new URL(redirectUri)
  callback.searchParams.set('code', 'latchkey-doctor')
  callback.searchParams.set('state', state)
  const issuer = trial.getIssuer()
  if (issuer !== undefined) callback.searchParams.set('iss', issuer)
  causes.length = 0
  await browser.visit(callback.href)
  return describeClient(provider.id, causes.join(': '))
}

function describeClient(id: string, causes: string): Finding {
  if (/invalid_client|incorrect_client_credentials|unauthorized_client/.test(causes)) {
    return broken(
      id,
      'refuses the client secret',
      'copy the secret again from the console of the provider',
    )
  }
  if (/invalid_grant|bad_verification_code|invalid_code/.test(causes))
    return ok(id, 'accepts the client secret')
  const text = `the client secret could not be tried: ${causes || 'no answer'}`
  return note(id, text, 'sign in once to try it: the log of the service says what is wrong')
}
