import { cryptoProperties } from '../properties-crypto.ts'
import { httpProperties } from '../properties-http.ts'
import { textProperties } from '../properties-texts.ts'
import { defineTarget } from '../target.ts'
import type { Target } from '../target.ts'

interface Case {
  readonly property: string
  readonly given: unknown
}

const properties = [...httpProperties, ...textProperties, ...cryptoProperties]

/** Functions without side effects: cookies, URLs, bodies, seals, email addresses, texts for the log. */
export const target: Target = defineTarget<Case>({
  name: 'pure',
  draw(draw) {
    const property = draw.pick(properties)
    return { property: property.name, given: property.draw(draw) }
  },
  open: async () => ({
    async run({ property, given }) {
      const found = properties.find(({ name }) => name === property)
      if (!found) throw new Error(`expected a property, found ${property}`)
      await found.run(given)
    },
  }),
})
