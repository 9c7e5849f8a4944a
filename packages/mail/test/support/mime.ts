/** Reads a mail of one or two text parts (RFC 2045, 2047, 5322): enough for those that we send. */
export interface ParsedMime {
  /** Every header in its order: the name as it came, the value unfolded and decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The decoded value of the only header of a name; throws where it is there twice. */
  readonly header: (name: string) => string | undefined
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** @param raw The message, a character for each byte */
export function parseMime(raw: string): ParsedMime {
  const { headers, body } = parsePart(raw)
  const header = finder(headers)
  const parts = partsOf(header('content-type') ?? 'text/plain', raw, body)
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
    if (!name) throw new Error(`not a header: ${JSON.stringify(line)}`)
    return [name, decodeWords(value)]
  })
  return { headers, body: raw.slice(end + 4) }
}

function finder(headers: Part['headers']): ParsedMime['header'] {
  return (name) => {
    const found = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase())
    if (found.length > 1) throw new Error(`${name} is there ${found.length} times`)
    return found[0]?.[1]
  }
}

/** The decoded bodies by their types. */
function partsOf(type: string, raw: string, body: string): Map<string, string> {
  const boundary = /;\s*boundary="?([^";]+)"?/i.exec(type)?.[1]
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1)
  return new Map(
    parts.map((text) => {
      const part = parsePart(boundary === undefined ? text : text.replace(/^\r\n/, ''))
      const header = finder(part.headers)
      const [kind = ''] = (header('content-type') ?? 'text/plain').split(';')
      const encoding = (header('content-transfer-encoding') ?? '7bit').toLowerCase()
      const content = boundary === undefined ? part.body : part.body.replace(/\r\n$/, '')
      return [kind.trim().toLowerCase(), decodeBody(encoding, content)]
    }),
  )
}

function decodeBody(encoding: string, content: string): string {
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString('utf8')
  if (encoding === 'quoted-printable') return unquote(content.replaceAll(/[ \t]*=\r\n/g, ''))
  return Buffer.from(content, 'latin1').toString('utf8')
}

function unquote(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Encoded words; what is between two of them does not count (RFC 2047 §6.2). */
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
