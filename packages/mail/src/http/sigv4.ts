/** Who signs a request to Amazon, and for which of its services. */
export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined
  readonly region: string
  readonly service: string
}

/** A request without query, whose path needs no encoding. */
export interface SignableRequest {
  readonly method: string
  readonly url: URL
  /** Names in lower case; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const algorithm = 'AWS4-HMAC-SHA256'

/**
 * Signs a request with AWS Signature Version 4.
 *
 * @returns The request's headers with `x-amz-date`, `authorization`, and the session token where there is one
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function signV4(
  { method, url, headers, body }: SignableRequest,
  signer: Signer,
  now: Date,
): Promise<Record<string, string>> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const { sessionToken } = signer
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const signed = Object.entries({ ...sent, host: url.host }).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const lines = signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, ' ')}\n`)
  const names = signed.map(([name]) => name).join(';')
  const canonical = [method, url.pathname, '', lines.join(''), names, await hash(body)].join('\n')
  const scope = [time.slice(0, 8), signer.region, signer.service, 'aws4_request']
  const text = [algorithm, time, scope.join('/'), await hash(canonical)].join('\n')
  const signature = hex(await hmac(await keyOf(signer, scope), text))
  const credential = `${signer.accessKeyId}/${scope.join('/')}`
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return { ...sent, authorization }
}

/** The signing key: good for one day, region and service. */
async function keyOf(
  { secretAccessKey }: Signer,
  scope: readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
  let key = utf8(`AWS4${secretAccessKey}`)
  for (const part of scope) key = await hmac(key, part)
  return key
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const parameters = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, parameters, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8(text)))
}

async function hash(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))))
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
