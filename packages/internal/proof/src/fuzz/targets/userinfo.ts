import { drawResponseEdit, editResponse, parseObject } from '../json-edits.ts'
import type { ResponseEdit } from '../json-edits.ts'
import { finish, serveIssuer } from '../issuer-service.ts'
import type { Target } from '../target.ts'
import { check, defineTarget } from '../target.ts'

// prettier-ignore
const names = [
  'sub', 'name', 'email', 'email_verified', 'picture', 'preferred_username', 'iss', 'aud',
  'given_name', '__proto__', 'constructor',
]
// prettier-ignore
const values = [
  'alice', 'mallory', '', 'alice ', 'Alice', 'a@b.c', 'x@y@z', 'ａ@example.com', 'a\u0000',
  'a\ud83e', true, false, 'true', null, 1, [], {}, ['alice'], 'javascript:alert(1)',
  'https://i.example/a', 'n'.repeat(10_000), '😀'.repeat(300),
]

/** Userinfo responses of a whole sign-in. */
export const target: Target = defineTarget<ResponseEdit>({
  name: 'userinfo',
  draw: (draw) => drawResponseEdit(draw, names, values),
  async open() {
    return {
      async run(edit) {
        let sent = ''
        const service = serveIssuer(
          async ({ pathname }, response) => {
            if (pathname !== '/userinfo') return response
            const edited = await editResponse(response, edit)
            sent = edited.text
            return edited.response
          },
          { fetchUserinfo: true },
        )
        const request = await service.begin()
        check(request !== undefined, 'a sign-in at a correct issuer does not begin')
        await finish(service, service.issuer.authorize(request))
        service.checkLog()
        const subject = await service.getSubject()
        if (subject === undefined) return
        check(subject === 'alice', `subject: ${subject}`)
        check(edit.status === 200, `sign-in by a response of status ${edit.status}`)
        check(parseObject(sent)?.['sub'] === 'alice', `sub of userinfo: ${sent.slice(0, 200)}`)
      },
    }
  },
})
