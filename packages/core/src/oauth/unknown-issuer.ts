import type { CallbackInput } from '../ports/provider.ts'

/** Characters of a value that are logged. */
const MAX_LENGTH = 100

/** Reports the `iss` of an authorization response whose code was exchanged. */
type ReportIssuer = (params: URLSearchParams, log: CallbackInput['log']) => void

/**
 * Returns the parameters of an authorization response without `iss` (RFC 9207), of a provider whose issuer
 * is not configured: its redirect URI, which no other provider has, prevents mix-up (RFC 9700 §4.4.2).
 */
export function removeIssuer(params: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => name !== 'iss'))
}

/** Creates the function that asks the operator, once, for the issuer of a provider. */
export function createReportIssuer(id: string): ReportIssuer {
  let isReported = false
  return (params, log) => {
    const received = params.get('iss')
    if (isReported || received === null) return
    isReported = true
    const found = JSON.stringify(received.slice(0, MAX_LENGTH))
    const advice = 'look up in its documentation which iss it sends (RFC 9207), and set it'
    log.warn(`providers.${id}.issuer: ${advice}. Not compared: received ${found}`, { provider: id })
  }
}
