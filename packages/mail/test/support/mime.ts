/** An email with one or two text parts (RFC 2045, 2047, 5322). */
export interface ParsedMime {
  /** Every header in order: the name as sent, the value unfolded and decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Returns the decoded value of the only header of a name; throws if there are several. */
  readonly header: (name: string) => string | undefined
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * Parses an email as this package sends it.
 *
 * @param raw The message, one character per byte
 */
export function parseMime(raw: string): ParsedMime {
  const { headers, body } = parsePart(raw)
  const header = createFind(headers)
  const parts = decodeParts(header('content-type') ?? 'text/plain', raw, body)
  return {
    headers,
    header,
    subject: header('subject') ?? '',
    text: parts.get('text/plain') ?? '',
    html: parts.get('text/html') ?? '',
  }
}

interface Part {
  readonly headers: [string, string][]
  readonly body: string
}

function parsePart(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/s.exec(line) ?? []
    if (!name) throw new Error(`expected a header, got ${JSON.stringify(line)}`)
    return [name, decodeWords(value)]
  })
  return { headers, body: raw.slice(end + 4) }
}

function createFind(headers: Part['headers']): ParsedMime['header'] {
  return (name) => {
    const found = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase())
    if (found.length > 1) throw new Error(`expected one header ${name}, got ${found.length}`)
    return found[0]?.[1]
  }
}

/** Returns the decoded bodies by content type. */
function decodeParts(type: string, raw: string, body: string): Map<string, string> {
  const boundary = /;\s*boundary="?([^";]+)"?/i.exec(type)?.[1]
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1)
  return new Map(
    parts.map((text) => {
      const part = parsePart(boundary === undefined ? text : text.replace(/^\r\n/, ''))
      const header = createFind(part.headers)
      const [kind = ''] = (header('content-type') ?? 'text/plain').split(';')
      const encoding = (header('content-transfer-encoding') ?? '7bit').toLowerCase()
      const content = boundary === undefined ? part.body : part.body.replace(/\r\n$/, '')
      return [kind.trim().toLowerCase(), decodeBody(encoding, content)]
    }),
  )
}

function decodeBody(encoding: string, content: string): string {
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString('utf8')
  if (encoding === 'quoted-printable')
    return decodeQuotedPrintable(content.replaceAll(/[ \t]*=\r\n/g, ''))
  return Buffer.from(content, 'latin1').toString('utf8')
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Decodes encoded words; white space between two of them is dropped (RFC 2047 §6.2). */
function decodeWords(value: string): string {
  return value
    .replaceAll(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('latin1')
        : text
            .replaceAll('_', ' ')
            .replaceAll(/=([0-9A-F]{2})/gi, (__, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            ),
    )
    .replaceAll(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'))
}
