import { drawMemberEdits, drawResponseEdit, editMembers, editResponse } from '../json-edits.ts'
import type { MemberEdit, ResponseEdit } from '../json-edits.ts'
import { parseObject } from '../json-edits.ts'
import { finish, issuerUrl, serveIssuer } from '../issuer-service.ts'
import type { Target } from '../target.ts'
import { check, defineTarget } from '../target.ts'

interface Case {
  readonly document: ResponseEdit
  readonly keySet: ResponseEdit
  /** Members of the key. */
  readonly key: readonly MemberEdit[]
}

// prettier-ignore
const documentNames = [
  'issuer', 'authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri',
  'response_types_supported', 'subject_types_supported', 'response_modes_supported',
  'id_token_signing_alg_values_supported', 'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported', 'end_session_endpoint', '__proto__',
  'token_endpoint_auth_methods_supported', 'pushed_authorization_request_endpoint',
]
// prettier-ignore
const documentValues = [
  issuerUrl, `${issuerUrl}/`, 'https://evil.example', 'http://issuer.example/token',
  'https://issuer.example/authorize?a=b', 'https://issuer.example/token#x', 'http://127.0.0.1/',
  'https://user:password@issuer.example/token', 'file:///etc/passwd', 'data:,x', '//x', '',
  'https://169.254.169.254/latest', 'https://localhost/', 'https://[::1]/', 'javascript:x', null,
  true, false, 0, [], {}, ['ES256'], ['none'], ['HS256'], ['plain'], ['client_secret_post'],
]
const keyNames = ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use', 'key_ops', 'd', 'n', 'e', 'k']
const keyValues = [
  'EC',
  'oct',
  'RSA',
  'P-384',
  'ES256',
  'RS256',
  'enc',
  'sig',
  'AA',
  [],
  null,
  'AQAB',
]

/** Discovery documents and key sets of a whole sign-in. */
export const target: Target = defineTarget<Case>({
  name: 'discovery',
  draw: (draw) => ({
    document: drawResponseEdit(draw, documentNames, documentValues),
    keySet: draw.once(3) ? drawResponseEdit(draw, ['keys', '__proto__']) : unaltered,
    key: draw.once(3) ? drawMemberEdits(draw, keyNames, keyValues) : [],
  }),
  async open() {
    return {
      async run({ document, keySet, key }) {
        let sent = ''
        const service = serveIssuer(async ({ pathname }, response) => {
          if (pathname.startsWith('/.well-known/')) {
            const edited = await editResponse(response, document)
            sent = edited.text
            return edited.response
          }
          if (pathname !== '/jwks') return response
          const { keys } = (await response.json()) as { readonly keys: readonly object[] }
          const edited = keys.map((each) => editMembers({ ...each }, key))
          return (await editResponse(Response.json({ keys: edited }), keySet)).response
        })
        const request = await service.begin()
        const metadata = parseObject(sent)
        if (!request) return service.checkLog()
        check(document.status === 200, `a document of status ${document.status} is used`)
        check(isIssuer(metadata?.['issuer']), `issuer: ${sent.slice(0, 300)}`)
        check(
          isEndpoint(request, metadata?.['authorization_endpoint']),
          `endpoint: ${request.href}`,
        )
        if (!isCorrect(request)) return service.checkLog()
        await finish(service, service.issuer.authorize(request))
        service.checkLog()
        const subject = await service.getSubject()
        check(subject === undefined || subject === 'alice', `subject: ${subject}`)
        for (const { username, password } of service.requested)
          check(username === '' && password === '', 'a request with credentials in its URL')
      },
    }
  },
})

const unaltered: ResponseEdit = { members: [], status: 200, type: 'application/json' }

/** A slash after the host makes no other URL. */
function isIssuer(issuer: unknown): boolean {
  return typeof issuer === 'string' && URL.parse(issuer)?.href === `${issuerUrl}/`
}

/** Returns whether an authorization request goes to the endpoint of the document. */
function isEndpoint({ origin, pathname, protocol }: URL, endpoint: unknown): boolean {
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  return protocol === 'https:' && url?.origin === origin && url.pathname === pathname
}

/** Returns whether the issuer accepts the request. */
function isCorrect({ origin, pathname, searchParams }: URL): boolean {
  return (
    `${origin}${pathname}` === `${issuerUrl}/authorize` &&
    new Set(searchParams.keys()).size === [...searchParams.keys()].length
  )
}
