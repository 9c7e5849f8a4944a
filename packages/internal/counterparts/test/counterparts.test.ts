import { hasChromium } from '@latchkey/test-support/chromium'
import { expect, test } from 'vitest'
import { counterparts } from '../src/counterparts.ts'
import { module } from '../src/mod-auth-openidc.ts'
import { serveCounterparts } from '../src/service.ts'

test.for(Object.entries(counterparts))(
  '%s signs its user in, and does all it can (I-64, I-65, I-66, I-69, I-70)',
  async ([name, run], { skip }) => {
    skip(name === 'oidc-client-ts' && !hasChromium())
    skip(name === 'mod_auth_openidc' && !module)
    const service = await serveCounterparts()
    try {
      await run(service)
      expect(service.requests).toContain('POST /oauth/token 200')
    } finally {
      await service.close()
    }
  },
)
