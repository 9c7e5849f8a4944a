import type { ServiceConfig, Environment } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { getVariable } from '../lib/env-file.ts'
import { findWranglerConfig } from '../lib/wrangler.ts'
import { broken, note, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'

/** What the variables are read by. */
export interface VariableReaders {
  /** The folder of the project. */
  readonly folder: string
  /** The names of the variables that the application has read. Default: all */
  readonly reads?: ReadonlySet<string>
}

/** Checks the variables that need no server to be judged. */
export function getVariableFindings(
  config: Pick<ServiceConfig, 'serviceUrl' | 'trustHost'>,
  env: Environment,
  { folder, reads }: VariableReaders,
): readonly Finding[] {
  const isPublic = isPublicUrl(config.serviceUrl)
  const read = reads
    ? Object.fromEntries(Object.entries(env).filter(([name]) => reads.has(name)))
    : env
  return [
    getServiceUrlFinding(config),
    ...getTrustHostFindings(config),
    ...getTrustFindings(read),
    // A Worker reads the header that Cloudflare sets.
    ...(findWranglerConfig(folder) === undefined ? getProxyHeaderFindings(env, isPublic) : []),
    ...getEmailServerFindings(read, isPublic),
    ...getDatabaseFindings(read),
  ]
}

/** Returns whether a service URL is the URL of a deployment, not of this machine. */
export function isPublicUrl(serviceUrl: string | URL | undefined): boolean {
  const host = serviceUrl === undefined ? undefined : URL.parse(String(serviceUrl))?.hostname
  return host !== undefined && !['localhost', '127.0.0.1', '[::1]'].includes(host)
}

type Hosts = Pick<ServiceConfig, 'serviceUrl' | 'trustHost'>

function getServiceUrlFinding({ serviceUrl, trustHost }: Hosts): Finding {
  const name = 'SERVICE_URL'
  if (serviceUrl !== undefined) {
    return ok(name, `${String(serviceUrl)}${isPublicUrl(serviceUrl) ? '' : ' (this machine only)'}`)
  }
  const fix = 'set it before you deploy: redirect URIs and links in emails then have one origin'
  if (trustHost === true) {
    return note(name, 'is not set: AUTH_TRUST_HOST takes the origin of each request', fix)
  }
  if (trustHost !== undefined && trustHost !== false) {
    return note(name, `is not set: requests of ${trustHost.join(', ')} are answered`, fix)
  }
  const text = 'is not set: the service answers only for localhost, 127.0.0.1 and [::1]'
  return note(name, text, 'set it before you deploy')
}

function getTrustHostFindings({ trustHost, serviceUrl }: Hosts): readonly Finding[] {
  if (trustHost !== true || serviceUrl !== undefined) return []
  const text =
    'is true: a reverse proxy that passes any Host header on lets its sender choose the URLs'
  return [weak('AUTH_TRUST_HOST', text, 'set it to a list of hosts, or set SERVICE_URL')]
}

/** Providers at which more people than the user can set `email_verified` (I-38). */
const permissive = providers.filter((row) => row.hasTrustOption).map(({ id }) => id)

function getTrustFindings(env: Environment): readonly Finding[] {
  const trusted = (getVariable(env, 'AUTH_TRUST_EMAIL_OF') ?? '').split(/[,\n]/)
  const weakOnes = permissive.filter((id) => trusted.some((each) => each.trim() === id))
  if (weakOnes.length === 0) return []
  const text = `trusts ${weakOnes.join(', ')}: everyone who can set email_verified there can sign in as any user`
  return [weak('AUTH_TRUST_EMAIL_OF', text, 'leave out those whose administrators you do not know')]
}

function getProxyHeaderFindings(env: Environment, isPublic: boolean): readonly Finding[] {
  const name = getVariable(env, 'AUTH_CLIENT_IP_HEADER')
  if (name !== undefined && !/^[a-z\d-]+$/i.test(name)) {
    const fix = 'set it to the header that your proxy sets, such as X-Forwarded-For'
    return [broken('AUTH_CLIENT_IP_HEADER', 'must be the name of a header', fix)]
  }
  if (!isPublic || name !== undefined) return []
  const text = 'is not set: behind a reverse proxy all clients share the limit of one IP address'
  const fix = 'set it to the header that your proxy sets, such as X-Forwarded-For'
  return [note('AUTH_CLIENT_IP_HEADER', text, fix)]
}

function getEmailServerFindings(env: Environment, isPublic: boolean): readonly Finding[] {
  const server = getVariable(env, 'AUTH_EMAIL_SERVER')
  if (server === 'console') {
    const text = 'is "console": emails are printed and not sent'
    const fix = 'set it to smtp://user:password@host:587 before you deploy'
    return [(isPublic ? weak : note)('AUTH_EMAIL_SERVER', text, fix)]
  }
  if (!server?.includes('requireTls=false')) return []
  const text = 'allows plain text: everyone on the way can read the links, and so sign in'
  return [weak('AUTH_EMAIL_SERVER', text, 'remove requireTls=false')]
}

function getDatabaseFindings(env: Environment): readonly Finding[] {
  if (getVariable(env, 'AUTH_DATABASE') !== 'none') return []
  const text = 'is "none": sessions cannot be listed, and sessions of other devices cannot be ended'
  return [weak('AUTH_DATABASE', text, 'set it to a database, unless that is what you want')]
}
