import type { TokenMac } from './refresh-token.ts'

/** Seconds that a code is valid. */
export const CODE_LIFETIME = 60

const FORM = /^([\w-]{22})\.([\w-]{43})$/

/** Returns the authorization code of a grant. The grant knows what the code is bound to, and whether it was used. */
export async function formatCode(mac: TokenMac, grantId: string): Promise<string> {
  return `${grantId}.${await mac.sign(`code ${grantId}`)}`
}

/** Returns the id of the grant of a code; undefined if the service has not made it. */
export async function parseCode(mac: TokenMac, text: string): Promise<string | undefined> {
  const [, grantId = '', signature = ''] = FORM.exec(text) ?? []
  if (grantId === '') return undefined
  return (await mac.verify(`code ${grantId}`, signature)) ? grantId : undefined
}
