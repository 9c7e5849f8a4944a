import { createKeyPair } from '../../../../../passkeys/test/support/keys.ts'
import { FuzzClient } from '../handle-client.ts'
import { createTokenKey, kinds, serve } from '../handle-service.ts'
import { drawSteps } from '../handle-steps.ts'
import type { Step } from '../handle-steps.ts'
import type { Target } from '../target.ts'
import { defineTarget } from '../target.ts'

interface Case {
  readonly kind: (typeof kinds)[number]
  readonly steps: readonly Step[]
}

/** Sequences of requests of two browsers, to a service with every feature. */
export const target: Target = defineTarget<Case>({
  name: 'handle',
  draw: (draw) => ({ kind: draw.pick(kinds), steps: drawSteps(draw) }),
  async open() {
    const tokenKey = await createTokenKey()
    const keyPairs = [await createKeyPair(-7), await createKeyPair(-8)]
    return {
      async run({ kind, steps }) {
        const service = serve(kind, tokenKey)
        const browsers = [new FuzzClient(service, keyPairs), new FuzzClient(service, keyPairs)]
        for (const step of steps) await browsers[step.browser]?.do(step)
      },
    }
  },
})
