import { sample } from '@latchkey/test-support/sample'
import { expect, test } from 'vitest'
import { killRedemptions, killedStorages } from '../src/grants.ts'

test.for(sample(killedStorages, 2))(
  '%s: after 52 kills between two calls, a client with a refresh token refreshes, an unspent code works until its end, and a client without both begins again (I-66.2, I-66.3, I-66.5)',
  async (storage) => {
    const { violations, ...figures } = await killRedemptions(storage, 52)
    expect(violations).toEqual([])
    // The beginnings and ends of five calls for a code, which is spent before the eighth, and of eight for two refreshes.
    expect(figures).toEqual({ kills: 52, redeemed: 2 * 7, begunAgain: 2 * 3, refreshed: 2 * 16 })
  },
)
