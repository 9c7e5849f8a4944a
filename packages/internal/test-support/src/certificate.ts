import { execFileSync } from 'node:child_process'
import { X509Certificate, createHash } from 'node:crypto'

/** A certificate and its private key, both in PEM. */
export interface Certificate {
  readonly key: string
  readonly certificate: string
}

const cached = new Map<string, Certificate>()

/**
 * Returns a self-signed certificate, the same in a whole process.
 *
 * @param names Its names as OpenSSL writes them. Default: the names of localhost
 */
export function getSelfSigned(names: string = 'DNS:localhost,IP:127.0.0.1'): Certificate {
  const certificate = cached.get(names) ?? create(names)
  cached.set(names, certificate)
  return certificate
}

/** Returns the hash of a certificate's key, for `--ignore-certificate-errors-spki-list` of Chromium. */
export function getKeyHash({ certificate }: Certificate): string {
  const { publicKey } = new X509Certificate(certificate)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64')
}

function create(names: string): Certificate {
  const command =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout - -out - -days 2 ' +
    `-subj /CN=localhost -addext subjectAltName=${names}`
  const pem = execFileSync('openssl', command.split(' '), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const block = (kind: string): string =>
    new RegExp(`-----BEGIN ${kind}-----[^]*?-----END ${kind}-----\n`).exec(pem)?.[0] ?? ''
  return { key: block('PRIVATE KEY'), certificate: block('CERTIFICATE') }
}
