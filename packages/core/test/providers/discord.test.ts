import { describe, expect, test } from 'vitest'
import type { SignIn } from '@latchkey/core'
import { discord } from '@latchkey/core/providers/discord'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  createFixtureIssuer,
  expectRefused,
  serveProviders,
} from '../support/identity-provider.ts'
import type { ProviderService } from '../support/identity-provider.ts'
import { discordFixture } from './fixtures/discord.ts'

const cdn = 'https://cdn.discordapp.com'
const nelly = { id: '80351110224678912', username: 'nelly', discriminator: '0' }

function serveDiscord(me: unknown): ProviderService {
  const api = { 'https://discord.com/api/users/@me': me }
  return serveProviders(createFixtureIssuer(discordFixture, { api }), discord(client))
}

function signIn({ browser, issuer }: ProviderService): Promise<Response> {
  return signInAtIssuer(browser, issuer, { provider: 'discord' })
}

/** Signs in and returns the user as `callbacks.signIn` receives it. */
async function getUser(me: unknown): Promise<SignIn['user']> {
  const service = serveDiscord(me)
  await signIn(service)
  return (service.signIns[0] as SignIn).user
}

describe('Discord', () => {
  test.each([
    ['an animated avatar', { avatar: 'a_1b2c' }, `${cdn}/avatars/${nelly.id}/a_1b2c.gif`],
    ['a still avatar', { avatar: '1b2c' }, `${cdn}/avatars/${nelly.id}/1b2c.png`],
    ['no avatar', { avatar: null }, `${cdn}/embed/avatars/5.png`],
    ['no avatar and no discriminator', { discriminator: undefined }, `${cdn}/embed/avatars/5.png`],
    ['no avatar and an old discriminator', { discriminator: '1337' }, `${cdn}/embed/avatars/2.png`],
  ])('the image of a user with %s', async (_, more, image) => {
    expect((80351110224678912n >> 22n) % 6n).toBe(5n)
    expect((await getUser({ ...nelly, ...more })).image).toBe(image)
  })

  test('the name is the global name, else the username', async () => {
    expect((await getUser({ ...nelly, global_name: 'Nelly' })).name).toBe('Nelly')
    expect((await getUser({ ...nelly, global_name: null })).name).toBe('nelly')
  })

  test('the email address is verified only if Discord says so (I-38)', async () => {
    const email = 'nelly@discord.example'
    expect(await getUser({ ...nelly, email, verified: true })).toMatchObject({
      email,
      emailVerified: true,
    })
    expect((await getUser({ ...nelly, email, verified: false })).emailVerified).toBe(false)
    expect(await getUser({ ...nelly, verified: true })).toMatchObject({
      email: null,
      emailVerified: false,
    })
  })

  test.each([
    { ...nelly, id: undefined },
    { message: '401: Unauthorized', code: 0 },
  ])('a response without an id (%j) is refused', async (me) => {
    const service = serveDiscord(me)
    await expectRefused(service, await signIn(service))
  })
})
