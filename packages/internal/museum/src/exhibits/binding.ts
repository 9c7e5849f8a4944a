import { describeResponse, describeUser } from '../evidence.ts'
import { signInAtProvider } from '../sign-in.ts'
import { createExhibit, toVerdict } from '../exhibit.ts'
import type { Exhibit } from '../exhibit.ts'
import { endpoints, toCallbackUrl } from '../subjects/identity-provider.ts'
import { authCore } from '../versions.ts'

/** Attacks on a sign-in that is not bound to its beginning. */
export const binding: readonly Exhibit[] = [
  createExhibit({
    ids: ['GHSA-x445-f3h2-j279'],
    affected: authCore('0.41.0'),
    needs: ['oauth'],
    async attack(subject) {
      await signInAtProvider(subject, 'alice@corp.example')
      const browser = subject.browse()
      subject.oauth.people.set('bob', { email: 'bob@corp.example', emailVerified: true })
      const url = toCallbackUrl(await subject.oauth.begin(browser, 'forge'), 'bob')
      const other = new URL(url.href.replace(/\/forge(?=[/?])/, '/guild'))
      if (other.href === url.href) throw new Error(`expected the provider in ${url.pathname}`)
      const response = await browser.visit(other.href)
      const user = await subject.getUser(browser)
      return toVerdict(
        user !== undefined,
        `state of ${new URL(endpoints.forge.token).host} at the callback of ` +
          `${new URL(endpoints.guild.token).host}: ${describeResponse(response)}, ${describeUser(user)}`,
      )
    },
  }),
]
