import type { EnrolledMethod } from '@latchkey/second-factor'

/** The method of {@link contractCodes} in the paths of the service. */
export const CODES = 'codes'

/**
 * The second factor of the contract's service: `<secret>-<number>` is a code, and works once. It needs no clock, so
 * that a case can sign in twice without waiting for the next code.
 */
export const contractCodes: EnrolledMethod = {
  id: CODES,
  methods: ['otp'],
  fields: { code: { label: 'Code' } },
  async verify({ data }, { fields, sealer }) {
    const [last = '', sealed = ''] = data.split(' ')
    const secret = await sealer.open(sealed)
    if (secret === undefined) throw new Error('the secret of the codes cannot be opened')
    const number = readNumber(fields.get('code'), secret)
    return number > Number(last) ? `${number} ${await sealer.seal(secret)}` : undefined
  },
  enrolment: {
    begin: (random) => random(8).join(''),
    show: (secret) => ({ text: secret, url: `otpauth://codes/?secret=${secret}`, svg: '<svg/>' }),
    async finish(secret, { fields, sealer }) {
      const number = readNumber(fields.get('code'), secret)
      return number > 0 ? `${number} ${await sealer.seal(secret)}` : undefined
    },
  },
}

/** Returns the number of a code; 0 if it is a code of another secret. */
function readNumber(code: string | undefined, secret: string): number {
  const [given, number = ''] = code?.split('-') ?? []
  return given === secret && /^[1-9]\d{0,5}$/.test(number) ? Number(number) : 0
}
