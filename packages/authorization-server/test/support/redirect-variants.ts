/** The parts of a registered redirect URI, as text. */
interface Parts {
  readonly before: string
  readonly scheme: string
  /** From the scheme to the host. */
  readonly start: string
  readonly host: string
  readonly port: string
  readonly path: string
  readonly query: string
  readonly after: string
}

/** The parts that differ in a variant. */
type Change = Partial<Parts>

const FORM = /^([a-z.]+)(:(?:\/\/)?)(\[[\d:]+\]|[a-z\d.-]*)((?::\d+)?)([^?]*)(.*)$/

function parse(uri: string): Parts {
  const [, scheme = '', start = '', host = '', port = '', path = '', query = ''] =
    FORM.exec(uri) ?? []
  return { before: '', scheme, start, host, port, path, query, after: '' }
}

function format({ before, scheme, start, host, port, path, query, after }: Parts): string {
  return [before, scheme, start, host, port, path, query, after].join('')
}

/** Splits a list of texts without white space. */
const split = (texts: string): readonly string[] => texts.trim().split(/\s+/)
/** Encodes each character of an ASCII text, as `%63`. */
const encode = (text: string): string =>
  `%${Buffer.from(text).toString('hex').match(/../g)?.join('%')}`
/** Writes letters, digits and signs in their full width, which IDNA maps to ASCII. */
const widen = (text: string): string =>
  text.replaceAll(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0))
/** Changes one part. */
const change = (name: keyof Parts, values: readonly string[]): readonly Change[] =>
  values.map((value) => ({ [name]: value }))

/** Ports that a native application may have on loopback (RFC 8252 §7.3); the first is the one of the scheme. */
const ports = ['', ...split(':0 :1 :80 :443 :4711 :08080 :49152 :65535')]

/** Characters that parsers remove, replace or compare differently. */
const characters: readonly string[] = [
  '\t',
  '\n',
  '\r',
  ' ',
  '\0',
  '\u007f',
  // No-break space, soft hyphen, zero width space, right-to-left override, byte order mark.
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u202e',
  '\ufeff',
  // A full stop, a solidus, an accent that combines.
  '\u3002',
  '\u2044',
  '\u0301',
  ...split(String.raw`\ @ % %00 %09 %0a %0d%0a %20 %40 %5c`),
]

/** Changes of which a parser, or a comparison that is too kind, makes the registered URI, or another host. */
const transformations: Readonly<Record<string, (parts: Parts) => readonly Change[]>> = {
  'another scheme': ({ scheme }) =>
    change('scheme', [
      ...split(`http https ws wss ftp file javascript data intent app com.example com.example.app
        com.example.app2 example.app ${scheme}.evil x-${scheme} view-source:${scheme}
        ${scheme.toUpperCase()} ${scheme[0]?.toUpperCase()}${scheme.slice(1)}`),
      widen(scheme),
      encode(scheme),
    ]),
  'another start': () =>
    change('start', split(String.raw`: :/ :// :/// :://// :: :\\ :/\ :\/ // :%2f%2f`)),
  'no scheme': () => [
    { scheme: '', start: '' },
    { scheme: '', start: '//' },
    { scheme: '', start: '\\\\' },
    { scheme: '', start: '', host: '', port: '' },
  ],
  'another case': ({ host, path, query }) => [
    { host: host.toUpperCase() },
    { host: host.replace('example', 'Example') },
    { path: path.toUpperCase() },
    { path: path.replace('c', 'C') },
    { query: query.toUpperCase() },
  ],
  'another host': ({ host }) =>
    change('host', [
      ...split(`evil.example ${host}. ${host}.. .${host} ${host}.evil.example evil.${host}
        evil-${host} ${host}evil ${host},evil.example [${host}] xn--${host}`),
      host.slice(1),
      host.slice(0, -1),
      host.replace('.', ''),
      host.replace('.', '..'),
      widen(host),
      encode(host),
      // An ideographic full stop, a Cyrillic letter, a letter without a dot, a subscript.
      host.replaceAll('.', '\u3002'),
      host.replace('e', '\u0435'),
      host.replace('i', '\u0131'),
      host.replace('ex', 'e\u2093'),
    ]),
  'another form of loopback': () =>
    change(
      'host',
      split(`127.0.0.1 127.0.0.2 127.1 127.0.1 127.0.0.01 127.0.0.1. 0 0177.0.0.1 0x7f.0.0.1
        0x7f000001 2130706433 0.0.0.0 127.0.0.1.nip.io [::1] [0:0:0:0:0:0:0:1] [::0001] [::1%25lo]
        [::1%lo] [::] [::2] [::ffff:127.0.0.1] [::127.0.0.1] [::ffff:7f00:1] ::1 [[::1]] [::1
        localhost LOCALHOST localhost. localhost.localdomain app.localhost localhost6
        ip6-localhost loca\u217chost host.docker.internal`),
    ),
  'user information': ({ host }) =>
    change(
      'host',
      split(`@${host} :@${host} user@${host} user:password@${host} %40${host} evil.example@${host}
        ${host}@evil.example ${host}:80@evil.example ${host}%40evil.example ${host}\\@evil.example
        ${host}/@evil.example ${host}?@evil.example ${host}#@evil.example
        ${host}\uff20evil.example`),
    ),
  'an invalid port': () =>
    change('port', [
      ...split(`: :: :65536 :99999 :100000 :4294967376 :-1 :+80 :0x50 :8e1 :80. :80:80 :a
        :${encode('80')} :${widen('80')} :\u0668\u0660`),
      ': 80',
      ':80 ',
    ]),
  'another path': ({ path }) =>
    change('path', [
      ...split(`/ ${path}/ ${path}// /${path} ${path}/x ${path}x /x${path} ${path}; ${path};a=b
        ;${path} ${path}* /.${path} /..${path} /x/..${path} ${path}/. ${path}/.. ${path}/../cb
        /%2e${path} /%2e%2e${path} /.%2e${path} /x/%2e%2e${path} ${path}/%2e /..;${path}
        /x/..%2f${path} /%252e%252e${path} ${path}/../../evil ${path}%2f ${path}%2f.. ${path}%3f
        ${path}%23 /\\evil.example${path} ${encode(path)} /${encode(path.slice(1))}`),
      '',
      path.slice(1),
      path.slice(0, -1),
      path.replaceAll('%2F', '%2f'),
      path.replaceAll('%2F', '/'),
      ...split('%2f %2F %5c \\ \u2215').map((slash) => path.replaceAll('/', slash)),
      // The same letter composed, and of two characters.
      path.replaceAll(/[a-z]+/g, 'caf\u00e9'),
      path.replaceAll(/[a-z]+/g, 'cafe\u0301'),
    ]),
  'another query': ({ query }) =>
    change('query', [
      ...split(`? ${query}& ${query}? ?${query} ${query || '?'}&more=1 ${query};x=1 ?code=stolen
        ?redirect_uri=https://evil.example ${query}&state=other ${query}&${query.slice(1)}`),
      '',
      `?${query.slice(1).split('&').toReversed().join('&')}`,
      ...split('?& & %3f').map((start) => query.replace('?', start)),
      ...split('%20 %2b').map((space) => query.replaceAll('+', space)),
      query.replaceAll('+', ' '),
      query.replaceAll('=', '%3d'),
      query.replaceAll('&', ';'),
      query.replaceAll('&', '&amp;'),
    ]),
  'a fragment': () => change('after', split('# #x ## #@evil.example #/../evil #code=x \uff03x')),
  'a character before, between or behind': ({ scheme, host, path }) =>
    characters.flatMap((each) => [
      { before: each },
      { scheme: `${scheme.slice(0, 2)}${each}${scheme.slice(2)}` },
      { host: `${host.slice(0, 2)}${each}${host.slice(2)}` },
      { path: `${each}${path}` },
      { after: each },
    ]),
  'another URI around': (parts) =>
    change('before', [
      ...split(String.raw`https://evil.example/? https://evil.example/# https://evil.example/
        https://evil.example\@ javascript:alert(1)// data:text/html, URL: <`),
      ...[' ', ',', '\n', ''].map((between) => format(parts) + between),
    ]),
  'another text': (parts) =>
    split(`* / . null https: about:blank ${encode(format(parts))}`).map((before) => ({
      ...parse(''),
      before,
    })),
}

/** A redirect URI that differs from the registered one. */
export interface Variant {
  readonly uri: string
  /** The change, as the table names it. */
  readonly name: string
  /** Whether a native application may have it nevertheless: another port of loopback (RFC 8252 §7.3). */
  readonly isAllowed: boolean
}

/** Lists variants of a registered URI: each text once, and never the registered one. */
export function listVariants(registered: string): readonly Variant[] {
  const parts = parse(registered)
  const isLoopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(registered)
  const byUri = new Map<string, Variant>()
  for (const port of parts.host === '' ? [] : ports) {
    const uri = format({ ...parts, port })
    byUri.set(uri, { uri, name: 'another port', isAllowed: isLoopback })
  }
  for (const [name, apply] of Object.entries(transformations)) {
    for (const each of apply(parts)) {
      const uri = format({ ...parts, ...each })
      if (!byUri.has(uri)) byUri.set(uri, { uri, name, isAllowed: false })
    }
  }
  // A parameter without a value counts as omitted (RFC 6749 §3.1).
  for (const uri of ['', registered]) byUri.delete(uri)
  return [...byUri.values()]
}
