import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { acceptsConnections } from '@latchkey/test-support/servers'
import { findProgram } from '@latchkey/test-support/system-program'
import type { Browser } from '@latchkey/testing/browser'
import { allow, open } from './person.ts'
import { apache as origin, secret, signedOut, user } from './service.ts'
import type { Service } from './service.ts'

const modules = '/usr/lib/apache2/modules'
/** The module, which brings Apache along; undefined if it is not here. */
export const module = findProgram('mod_auth_openidc', [`${modules}/mod_auth_openidc.so`])

/** mod_auth_openidc, by which Apache lets only users of the service read its files. */
export async function modAuthOpenidc(service: Service): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'apache-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'index.html'), 'for users')
  writeFileSync(join(folder, 'apache.conf'), configure(service, folder))
  const args = ['-X', '-d', folder, '-f', join(folder, 'apache.conf')]
  const apache = spawn('/usr/sbin/apache2', args, { stdio: 'inherit' })
  try {
    const [browser, person] = [open(origin), open(service.issuer)]
    while (!(await acceptsConnections('127.0.0.1', Number(new URL(origin).port)))) {
      assert.equal(apache.exitCode, null)
      await setTimeout(100)
    }
    await signIn(service, browser, person)
    // It has asked for userinfo, and demands the name.
    assert(service.requests.includes('GET /oauth/userinfo 200'), service.requests.join('\n'))
    const left = await browser.visit(`/callback?logout=${encodeURIComponent(signedOut)}`)
    const page = await person.follow(await person.visit(left.headers.get('location') ?? ''))
    assert.match(await page.text(), new RegExp(`href="${signedOut}`))
    assert.deepEqual(await person.json('/session'), {})
    await signIn(service, browser, person)
    // The end of the session at the service ends the one at Apache.
    await person.submit('/signout')
    while ((await browser.visit('/')).status === 200) await setTimeout(50)
  } finally {
    apache.kill()
    rmSync(folder, { recursive: true })
  }
}

function configure({ issuer }: Service, folder: string): string {
  const names = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'auth_openidc']
  const loaded = names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  return `${loaded.join('\n')}
    ServerName localhost
    User www-data
    Group www-data
    Listen ${new URL(origin).host.replace('localhost', '127.0.0.1')}
    PidFile ${folder}/pid
    ErrorLog ${folder}/log
    DocumentRoot ${folder}
    DirectoryIndex index.html
    OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
    OIDCClientID "basic: 1"
    OIDCClientSecret "${secret}"
    OIDCRedirectURI ${origin}/callback
    OIDCRedirectURLsAllowed ^${signedOut}$
    OIDCCryptoPassphrase "${secret}"
    OIDCUnAuthAction auth true
    OIDCScope "openid profile"
    OIDCPKCEMethod S256
    <Location />
      AuthType openid-connect
      Require claim name:${user.name}
    </Location>`
}

async function signIn(service: Service, browser: Browser, person: Browser): Promise<void> {
  const begun = await browser.visit('/')
  const answer = await allow(service, begun.headers.get('location') ?? '', person)
  const done = await browser.follow(await browser.visit(answer.href))
  assert.equal(await done.text(), 'for users')
}
