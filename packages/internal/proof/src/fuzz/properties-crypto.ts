import { createKeys } from '../../../../core/src/crypto/seal.ts'
import type { Sealer } from '../../../../core/src/crypto/seal.ts'
import type { Draw } from './draw.ts'
import { defineProperty } from './property.ts'
import type { Property } from './property.ts'
import { createRandomBytes } from './random.ts'
import { check } from './target.ts'
import { drawJson, drawText, drawTextEdit, editText } from './texts.ts'
import type { TextEdit } from './texts.ts'

const NOW = 1_800_000_000
const keys = createKeys(['a secret of thirty-two bytes or more'], createRandomBytes(3))
const others = createKeys(['another secret of thirty-two bytes'], createRandomBytes(5))

/** Properties of seals and signatures. */
export const cryptoProperties: readonly Property[] = [
  defineProperty('seal', drawSealed, checkSeal),
  defineProperty('seal of a client', drawText, async (text) => {
    check((await keys.session.open(text, NOW)) === undefined, 'a text of a client opens')
    const [header] = (await keys.session.seal({}, NOW + 1)).split('.')
    const forged = await keys.session.open(`${header}..${text}`, NOW)
    check(forged === undefined, 'a text after a correct header opens')
  }),
  defineProperty('signature', drawSigned, async ({ text, edit }) => {
    const mac = await keys.csrf.sign(text)
    check(await keys.csrf.verify(text, mac), 'a signature is not verified')
    const altered = editText(mac, edit)
    check(altered === mac || !(await keys.csrf.verify(text, altered)), `altered: ${altered}`)
    check(!(await keys.token.verify(text, mac)), 'a signature of another purpose is verified')
    check(!(await others.csrf.verify(text, mac)), 'a signature of another secret is verified')
  }),
]

interface Sealed {
  readonly content: unknown
  /** Seconds after the expiry. */
  readonly late: number
  readonly edit: TextEdit
}

function drawSealed(draw: Draw): Sealed {
  return { content: drawJson(draw), late: draw.below(1000), edit: drawTextEdit(draw) }
}

function drawSigned(draw: Draw): { readonly text: string; readonly edit: TextEdit } {
  return { text: drawText(draw), edit: drawTextEdit(draw) }
}

async function checkSeal({ content, late, edit }: Sealed): Promise<void> {
  const expires = NOW + 10
  const sealed = await keys.session.seal({ content }, expires)
  const opened = await keys.session.open(sealed, NOW)
  check(
    JSON.stringify(opened) === JSON.stringify({ content, exp: expires }),
    'round trip of a seal',
  )
  const altered = editText(sealed, edit)
  const isAltered = altered !== sealed
  check(!isAltered || (await opens(keys.session, altered, NOW)) === false, `altered: ${altered}`)
  check(!(await opens(keys.session, sealed, expires + late)), 'a seal opens after its expiry')
  check(!(await opens(others.session, sealed, NOW)), 'a seal opens with another secret')
  for (const purpose of ['flow', 'return', 'known', 'second', 'factor', 'logout'] as const) {
    check(!(await opens(keys[purpose], sealed, NOW)), `a seal of a session opens as ${purpose}`)
  }
}

async function opens(sealer: Sealer, sealed: string, now: number): Promise<boolean> {
  return (await sealer.open(sealed, now)) !== undefined
}
