/** One process of a service with second factors, configured by environment variables. */
import { createAuth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { credentials } from '@latchkey/core/providers/credentials'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { createListener, listen } from '@latchkey/node'
import { openStorage } from '../../src/open-storage.ts'

const { SERVICE_URL = '', DATABASE = '', DRIVER = '' } = process.env

const { handle } = createAuth({
  serviceUrl: SERVICE_URL,
  secret: 'the secret of all processes of the service under test',
  storage: await openStorage(DRIVER, DATABASE),
  providers: [
    credentials({
      fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
      authorize: async ({ name, password }) => (password === 'right' ? { id: name, name } : null),
    }),
  ],
  use: [confirmation(), secondFactor({ methods: [totp(), recoveryCodes()] })],
  // All users come from one IP address: only the limits of second factors refuse.
  limits: { startsPerClient: false, callbacksPerClient: false, credentialsPerClient: false },
})

const { url } = await listen(createListener(handle), { host: '127.0.0.1', port: 0 })
console.log(`listening on ${url}`)
