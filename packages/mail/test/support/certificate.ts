import { execFileSync } from 'node:child_process'

/** A certificate and its private key, both in PEM. */
export interface Certificate {
  readonly key: string
  readonly certificate: string
}

let cached: Certificate | undefined

/** Returns a self-signed certificate for localhost and 127.0.0.1, the same in a whole process. */
export function getSelfSigned(): Certificate {
  return (cached ??= create())
}

function create(): Certificate {
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout - -out - -days 2 ' +
    '-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1'
  const pem = execFileSync('openssl', command.split(' '), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const block = (kind: string): string =>
    new RegExp(`-----BEGIN ${kind}-----[^]*?-----END ${kind}-----\n`).exec(pem)?.[0] ?? ''
  return { key: block('PRIVATE KEY'), certificate: block('CERTIFICATE') }
}
