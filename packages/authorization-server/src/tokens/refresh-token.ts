import type { Keys } from '@latchkey/core/capability'

/** What a refresh token names: a grant, how often it was advanced, and the mark of that advance. */
export interface RefreshToken {
  readonly grantId: string
  readonly counter: number
  /** 64 random bits that the advance wrote into the grant. */
  readonly mark: string
}

/** Signs codes and refresh tokens. */
export type TokenMac = Pick<ReturnType<Keys['signerOf']>, 'sign' | 'verify'>

const FORM = /^([\w-]{22})\.([1-9]\d{0,14})\.([\w-]{11})\.([\w-]{43})$/

/** Returns the text of a refresh token: the same facts under the same secret give the same one. */
export async function formatRefreshToken(mac: TokenMac, token: RefreshToken): Promise<string> {
  const { grantId, counter, mark } = token
  return `${grantId}.${counter}.${mark}.${await mac.sign(toSigned(token))}`
}

/** Returns the facts of a refresh token; undefined if the service has not made it. */
export async function parseRefreshToken(
  mac: TokenMac,
  text: string,
): Promise<RefreshToken | undefined> {
  const [, grantId = '', counter = '', mark = '', signature = ''] = FORM.exec(text) ?? []
  if (grantId === '') return undefined
  const token = { grantId, counter: Number(counter), mark }
  return (await mac.verify(toSigned(token), signature)) ? token : undefined
}

function toSigned({ grantId, counter, mark }: RefreshToken): string {
  return `refresh ${grantId} ${counter} ${mark}`
}
