import { findProgram, runProgram } from '@latchkey/test-support/system-program'
import { totp } from '@latchkey/second-factor'
import { describe, expect, test } from 'vitest'
import { buildFactor, buildInput, random, sealer } from './support/factors.ts'

const method = totp()
const program = findProgram('oathtool', ['/usr/bin/oathtool'])

describe.runIf(program)('oathtool', () => {
  test.each(Array.from({ length: 20 }, (_, i) => i))(
    'computes the codes of key %d, also from its shown text',
    async (i) => {
      const secret = method.enrolment.begin(random)
      const now = 60 + Math.floor((i / 20) ** 4 * 2 ** 37)
      const { text } = method.enrolment.show(secret, 'Example', 'alice')
      const codes = runProgram(program ?? '', [
        '--totp=SHA1',
        '--base32',
        '--window=2',
        `--now=@${now - 30}`,
        text,
      ])
        .trim()
        .split('\n')
      expect(codes).toHaveLength(3)
      for (const code of codes) {
        const data = JSON.stringify({ key: await sealer.seal(secret), step: -1 })
        const input = buildInput(code, now)
        expect(await method.verify(buildFactor('totp', data), input)).toBeDefined()
        const later = buildInput(code, now + 90)
        expect(await method.verify(buildFactor('totp', data), later)).toBeUndefined()
      }
    },
  )
})
