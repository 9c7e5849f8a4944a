import { countEdits, requireVersion } from '@latchkey/core/unstable'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

describe('@latchkey/core/unstable', () => {
  test('gives its helpers to a package of the same version', () => {
    const own = requireVersion('@latchkey/mail', manifest.version, countEdits)
    expect(own('singIn', 'signIn')).toBe(2)
  })

  test.for(['0.0.9', '99.0.0', '', `${manifest.version}-next.0`])(
    'refuses a package of the version "%s"',
    (version) => {
      expect(() => requireVersion('@latchkey/mail', version, countEdits)).toThrow(
        `@latchkey/mail ${version} requires the same version of @latchkey/core, found ${manifest.version}`,
      )
    },
  )

  test.for([
    [manifest.version, '2'],
    ['99.0.0', 'Error: @latchkey/mail 99.0.0 requires the same version of @latchkey/core'],
  ] as const)(
    'in a minified bundle, at import, without other helpers: the version %s',
    async ([version, expected]) => {
      const contents = `
      import { countEdits, requireVersion } from '@latchkey/core/unstable'
      const own = requireVersion('@latchkey/mail', '${version}', countEdits)
      export const edits = own('singIn', 'signIn')`
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: import.meta.dirname },
        bundle: true,
        minify: true,
        format: 'esm',
        write: false,
      })
      const text = outputFiles[0]?.text ?? ''
      expect(text).not.toContain('no answer within')
      const imported = import(`data:text/javascript,${encodeURIComponent(text)}`).then(
        ({ edits }: { readonly edits: number }) => edits,
      )
      expect(String(await imported.catch((thrown: unknown) => thrown))).toContain(expected)
    },
  )
})
