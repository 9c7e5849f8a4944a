import { drawResponseEdit, editResponse, parseObject } from '../json-edits.ts'
import type { ResponseEdit } from '../json-edits.ts'
import { finish, serveIssuer } from '../issuer-service.ts'
import type { Target } from '../target.ts'
import { check, defineTarget } from '../target.ts'

// prettier-ignore
const names = [
  'access_token', 'token_type', 'expires_in', 'scope', 'id_token', 'refresh_token', 'error',
  'error_description', 'error_uri', '__proto__',
]
// prettier-ignore
const values = [
  'Bearer', 'bearer', 'DPoP', 'mac', '', 'x', 'openid', 'a\u0000', 'a\ud83e', 'invalid_grant',
  300, '300', -1, 1e12, 'soon', null, [], {}, ['openid'], 'e30.e30.e30', 'x'.repeat(5000),
]

/** Token responses of a whole sign-in. */
export const target: Target = defineTarget<ResponseEdit>({
  name: 'token-response',
  draw: (draw) => drawResponseEdit(draw, names, values),
  async open() {
    return {
      async run(edit) {
        let [sent, correct] = ['', '']
        const service = serveIssuer(async ({ pathname }, response) => {
          if (pathname !== '/token') return response
          correct = await response.clone().text()
          const edited = await editResponse(response, edit)
          sent = edited.text
          return edited.response
        })
        const request = await service.begin()
        check(request !== undefined, 'a sign-in at a correct issuer does not begin')
        await finish(service, service.issuer.authorize(request))
        service.checkLog()
        const subject = await service.getSubject()
        if (subject === undefined) return
        const body = parseObject(sent)
        const idToken = parseObject(correct)?.['id_token']
        check(subject === 'alice', `subject: ${subject}`)
        check([200, 201].includes(edit.status), `sign-in by a response of status ${edit.status}`)
        check(body?.['id_token'] === idToken, 'sign-in by another ID Token')
        check(isFilledText(body?.['access_token']), `access_token: ${sent.slice(0, 200)}`)
        check(/^bearer$/i.test(String(body?.['token_type'])), `token_type: ${sent.slice(0, 200)}`)
        const [account] = await service.storage.listAccounts(await getUserId(service))
        const kept = `${account?.refresh_token ?? ''}${account?.scope ?? ''}`
        check(isStorable(kept), `stored: ${JSON.stringify(kept)}`)
        check(account?.access_token === body?.['access_token'], 'another access token is stored')
      },
    }
  },
})

function isFilledText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && isStorable(value)
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

async function getUserId({ browser }: ReturnType<typeof serveIssuer>): Promise<string> {
  const { user } = (await browser.json('/session')) as { readonly user?: { readonly id: string } }
  return user?.id ?? ''
}
