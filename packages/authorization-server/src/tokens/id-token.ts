import { sha256 } from '@latchkey/core/capability'
import type { Session, TokenSigner } from '@latchkey/core/capability'
import { readText } from '@latchkey/core/capability/options'
import type { Client } from '../clients/client.ts'
import type { PartContext } from '../parts.ts'
import { verifyOwn } from './verify-own.ts'

/** The type of ID Tokens: access tokens and logout tokens have other ones. */
export const ID_TOKEN = 'JWT'

/** What an ID Token says that the service has made. */
export interface OwnIdToken {
  readonly clientId: string
  readonly subject: string
  readonly sid: string | undefined
}

/** Returns what an ID Token of the service says, also after it has expired: it is a hint. */
export async function verifyIdToken(
  ctx: Pick<PartContext, 'server' | 'issuer'>,
  text: string,
): Promise<OwnIdToken | undefined> {
  const payload = await verifyOwn({ ...ctx, now: 0 }, text, ID_TOKEN)
  const [clientId, subject] = [readText(payload, 'aud'), readText(payload, 'sub')]
  if (clientId === undefined || subject === undefined) return undefined
  return { clientId, subject, sid: readText(payload, 'sid') }
}

/** A confirmation gives a session another id, which its clients do not see: the first one stays. */
export function getFirstId({ id, replaced }: Session): string {
  return replaced?.at(-1) ?? id
}

/** Returns what a client knows a session by: two clients cannot compare it. */
export async function toSid({ id }: Pick<Client, 'id'>, sessionId: string): Promise<string> {
  return (await sha256(JSON.stringify(['sid', id, sessionId]))).slice(0, 22)
}

/** A client that names none is signed for with RS256 (Dynamic Registration 1.0 §2), if the service can. */
export function getAlgorithm({ algorithms }: TokenSigner): string {
  const [first = ''] = algorithms
  return algorithms.includes('RS256') ? 'RS256' : first
}
