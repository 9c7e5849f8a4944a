/** What oauth4webapi attaches to an error about a value that differs from the expected one. */
interface Comparison {
  readonly expected?: unknown
  /** The name of the claim. */
  readonly claim?: unknown
  readonly claims?: Readonly<Record<string, unknown>>
  /** The name of the member of the body. */
  readonly attribute?: unknown
  readonly body?: { readonly issuer?: unknown }
  /** The parameters of the callback. */
  readonly parameters?: URLSearchParams
}

/** Characters of a value that are logged. */
const MAX_LENGTH = 200

/**
 * Returns an error that says which issuer or audience was expected and which was found, if that is what
 * failed; else the error itself. No other value is public enough for a log.
 */
export function explainMismatch(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const { expected, claim, claims, attribute, body, parameters } = {
    ...(thrown.cause as Comparison | undefined),
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
  return text.slice(0, MAX_LENGTH)
}
