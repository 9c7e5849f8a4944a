/** What oauth4webapi attaches to an error about a value that differs from the expected one. */
interface Comparison {
  readonly expected?: unknown
  /** The name of the claim. */
  readonly claim?: unknown
  readonly claims?: Readonly<Record<string, unknown>>
  /** The time that a claim was compared with: seconds since 1970. */
  readonly now?: unknown
  /** The name of the member of the body. */
  readonly attribute?: unknown
  readonly body?: { readonly issuer?: unknown }
  /** The parameters of the callback. */
  readonly parameters?: URLSearchParams
}

/** What to do if a time is too early or too late. */
export const CHECK_CLOCK = "the server's clock may be wrong"

/** Characters of a value that are logged. */
const MAX_LENGTH = 200

/**
 * Returns an error that says which issuer or audience was expected and which was found, if that is what
 * failed; else the error itself. No other value is public enough for a log.
 */
export function explainMismatch(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const comparison: Comparison = Object(thrown.cause)
  const { expected, claim, claims, attribute, body, parameters, now } = comparison
  if (typeof now === 'number' && (claim === 'exp' || claim === 'nbf')) {
    const off = Math.round(Number(claims?.[claim]) - now)
    const message = `${claim} in the ID Token is ${Math.abs(off)} s ${off < 0 ? 'ago' : 'ahead'}`
    return new Error(`${message}: ${CHECK_CLOCK}`, { cause: thrown })
  }
  if (expected === undefined) return thrown
  if (claim === 'iss' || claim === 'aud') {
    return explain(thrown, `${claim} ${format(expected)} in the ID Token`, claims?.[claim])
  }
  if (attribute === 'issuer') return explain(thrown, `the issuer ${format(expected)}`, body?.issuer)
  const isIssuer = parameters && thrown.message.includes('"iss"')
  if (!isIssuer) return thrown
  return explain(thrown, `iss ${format(expected)} in the callback`, parameters.get('iss'))
}

function explain(cause: Error, expected: string, found: unknown): Error {
  return new Error(`expected ${expected}, found ${format(found)}`, { cause })
}

function format(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
  return text.slice(0, MAX_LENGTH) || 'an empty text'
}
