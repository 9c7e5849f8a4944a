import type { OneTimeTokens } from '@latchkey/core'

/** A token, and its MAC. */
const pattern = /^([\w-]{43})([\w-]{43})$/

/** Returns the token of a link to an email address: with a MAC, so that a made-up one causes no request and no hash. */
export async function toLinkToken(
  { sign }: Pick<OneTimeTokens, 'sign'>,
  address: string,
  token: string,
): Promise<string> {
  return token + (await sign(bind(address, token)))
}

/** Returns the single-use token in the token of a link, which may be used or expired; undefined if no link of this service has it. */
export async function readLinkToken(
  { verify }: Pick<OneTimeTokens, 'verify'>,
  address: string,
  text: string | null,
): Promise<string | undefined> {
  const [, token = '', mac = ''] = pattern.exec(text ?? '') ?? []
  return token !== '' && (await verify(bind(address, token), mac)) ? token : undefined
}

function bind(address: string, token: string): string {
  return `password link ${address} ${token}`
}
