import { execFileSync } from 'node:child_process'

export interface Certificate {
  /** Both in PEM. */
  readonly key: string
  readonly certificate: string
}

let made: Certificate | undefined

/** A self-signed certificate for localhost and 127.0.0.1, made once in each process. */
export function selfSigned(): Certificate {
  return (made ??= make())
}

function make(): Certificate {
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
