import { equalInConstantTime, getClientKey, sha256, spendLimit } from '@latchkey/core/capability'
import type { Client } from '../clients/client.ts'
import { findClientOfToken } from '../clients/find-client.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ProgramContext } from './program.ts'

/** How a request authenticates its client. */
type Credentials =
  | { readonly method: 'none'; readonly id: string }
  | {
      readonly method: 'client_secret_basic' | 'client_secret_post'
      readonly id: string
      readonly secret: string
    }
  | {
      readonly method: 'private_key_jwt'
      readonly id: string
      readonly isOf: (client: Client) => Promise<boolean>
    }

/**
 * Authenticates the client of a request by its registered method only (RFC 6749 §2.3).
 *
 * @throws OAuthError `invalid_client`, or `invalid_request` if the request uses two methods
 */
export async function authenticateClient(
  ctx: ProgramContext,
  parameters: ReadonlyMap<string, string>,
): Promise<Client> {
  const credentials = readCredentials(ctx, parameters)
  const client = await findClientOfToken(ctx, credentials.id, parameters)
  // Spent before the comparison, so that a client which guesses is refused whatever it guesses.
  const refund = await countAttempt(ctx, credentials)
  if (client?.method !== credentials.method || !(await isProven(client, credentials))) {
    throw refuse(ctx, 'the client is unknown, or its authentication failed')
  }
  await refund()
  return client
}

async function countAttempt(
  ctx: ProgramContext,
  { method }: Credentials,
): Promise<() => Promise<void>> {
  if (method === 'none') return async () => undefined
  return spendLimit(ctx, ctx.server.settings.limits.failuresPerClient, getClientKey(ctx))
}

function readCredentials(
  ctx: ProgramContext,
  parameters: ReadonlyMap<string, string>,
): Credentials {
  const id = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  const assertion = parameters.get('client_assertion')
  const given = [ctx.authorization, secret, assertion].filter((each) => (each ?? '') !== '')
  if (given.length > 1) {
    throw new OAuthError('invalid_request', 'the client must authenticate by one method')
  }
  const credentials =
    readBasic(ctx) ??
    (assertion === undefined ? undefined : readAssertion(ctx, parameters, assertion))
  if (credentials) {
    if (id === undefined || id === credentials.id) return credentials
    throw new OAuthError('invalid_request', 'client_id differs from the authentication')
  }
  if (id === undefined) throw refuse(ctx, 'client_id is missing')
  return secret === undefined
    ? { method: 'none', id }
    : { method: 'client_secret_post', id, secret }
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. Public clients send an empty secret, too, which proves nothing. */
function readBasic(ctx: ProgramContext): Credentials | undefined {
  if (ctx.authorization === null) return undefined
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(ctx.authorization) ?? []
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(decodeBase64(encoded ?? '')) ?? []
  try {
    if (secret === '') return { method: 'none', id: decodeForm(id) }
    return { method: 'client_secret_basic', id: decodeForm(id), secret: decodeForm(secret) }
  } catch {
    throw refuse(ctx, 'the header Authorization cannot be decoded')
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function decodeBase64(text: string): string {
  try {
    return atob(text)
  } catch {
    return ''
  }
}

function readAssertion(
  ctx: ProgramContext,
  parameters: ReadonlyMap<string, string>,
  assertion: string,
): Credentials {
  const { assertions } = ctx.server.settings
  if (!assertions) throw refuse(ctx, 'private_key_jwt is not supported')
  return {
    method: 'private_key_jwt',
    // This only says whose keys verify it.
    id: assertions.readSubject(parameters, assertion),
    isOf: (client) => assertions.verify(ctx, client, assertion),
  }
}

async function isProven(client: Client, credentials: Credentials): Promise<boolean> {
  switch (credentials.method) {
    case 'none':
      return true
    case 'private_key_jwt':
      return credentials.isOf(client)
    case 'client_secret_basic':
    case 'client_secret_post':
      return isSecretOf(client, credentials.secret)
  }
}

async function isSecretOf(
  { secrets, secretHash, secretHashes = [] }: Client,
  given: string,
): Promise<boolean> {
  const hash = await sha256(given)
  let isEqual = secretHash !== undefined && equalInConstantTime(secretHash, hash)
  for (const stored of secretHashes) isEqual = equalInConstantTime(stored, hash) || isEqual
  for (const secret of secrets) {
    isEqual = equalInConstantTime(await sha256(secret), hash) || isEqual
  }
  return isEqual
}

/** The header is for clients that used it (RFC 6749 §5.2). */
function refuse({ authorization }: ProgramContext, description: string): OAuthError {
  const headers = authorization === null ? {} : { 'www-authenticate': 'Basic realm="clients"' }
  return new OAuthError('invalid_client', description, { status: 401, headers })
}
