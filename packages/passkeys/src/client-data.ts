import { malformed, refused } from './errors.ts'
import { readText, toMembers } from './members.ts'
import type { Members } from './members.ts'

/** What client data must say. */
export interface ExpectedClientData {
  /** The challenge of the options: random bytes in base64url without padding. */
  readonly challenge: string
  /** The origins that may use the passkeys, such as `https://example.com`: compared exactly. */
  readonly origins: readonly string[]
}

/** The value of `type` (WebAuthn §5.8.1). */
export type ClientDataType = 'webauthn.create' | 'webauthn.get'

/** A byte order mark is removed, as UTF-8 decode does. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Checks the client data of a ceremony: WebAuthn §7.1 steps 5 to 11, §7.2 steps 8 to 14.
 *
 * @throws PasskeyError
 */
export function checkClientData(
  clientDataJSON: Uint8Array,
  type: ClientDataType,
  expected: ExpectedClientData,
): void {
  // §7.1 steps 5 and 6, §7.2 steps 8 and 9.
  const clientData = parseClientData(clientDataJSON)
  // §7.1 step 7, §7.2 step 10.
  if (readText(clientData, 'type') !== type) throw refused(`the type is not ${type}`)
  // §7.1 step 8, §7.2 step 11.
  if (readText(clientData, 'challenge') !== expected.challenge) {
    throw refused('the challenge is another one')
  }
  // §7.1 step 9, §7.2 step 12.
  if (!expected.origins.includes(readText(clientData, 'origin'))) {
    throw refused('the origin is not one of the expected origins')
  }
  checkFrame(clientData)
  checkTokenBinding(clientData)
}

function parseClientData(clientDataJSON: Uint8Array): Members {
  try {
    return toMembers('the client data', JSON.parse(utf8.decode(clientDataJSON)))
  } catch {
    // The error of the parser repeats a part of the text.
    throw malformed('the client data is not a JSON object in UTF-8')
  }
}

/** Refuses ceremonies in a frame of another origin. */
function checkFrame({ crossOrigin = false, topOrigin }: Members): void {
  // §7.1 step 10, §7.2 step 13.
  if (typeof crossOrigin !== 'boolean') throw malformed('crossOrigin is not true or false')
  if (crossOrigin) throw refused('the ceremony was cross-origin')
  // §7.1 step 11, §7.2 step 14.
  if (topOrigin === undefined) return
  if (typeof topOrigin !== 'string') throw malformed('topOrigin is not a text')
  throw refused('the ceremony was in a frame')
}

/** Token Binding (WebAuthn Level 2 §5.8.1) is reserved in Level 3: if it was used, its ID cannot be verified. */
function checkTokenBinding({ tokenBinding }: Members): void {
  if (tokenBinding === undefined) return
  const status = readText(toMembers('tokenBinding', tokenBinding), 'status')
  if (status === 'present') throw refused('the connection had a token binding')
}
