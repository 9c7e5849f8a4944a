import { renderProvider } from '../lib/provider-code.ts'
import type { EnvironmentName, ProviderChoice } from '../lib/provider-code.ts'
import { editText } from '../lib/edit-text.ts'

const emailImport = `import { email } from '@latchkey/core/providers/email'\n`
/** The list of providers of a template: sign-in by email, after passkeys in that of an MCP server. */
const list = /^( *)providers: \[(?:(passkeys\(\)), )?(email\(.*\))\],$/m

/**
 * Puts identity providers into `auth.ts` of a template.
 *
 * @param env What the file reads variables from
 */
export function addProviders(
  text: string,
  choices: readonly ProviderChoice[],
  env: EnvironmentName,
): string {
  const rendered = choices.map((choice) => renderProvider(choice, env))
  const imports = new Set([emailImport, ...rendered.map((code) => `${code.import}\n`)])
  const [found = '', indent = '', passkeys, email = ''] = list.exec(text) ?? []
  const own = passkeys === undefined ? [] : [`${passkeys},`]
  const lines = [...own, ...rendered.flatMap((code) => code.lines), `${email},`]
  const providers = lines.map((line) => `${indent}  ${line}\n`).join('')
  return editText(text, [
    [emailImport, [...imports].toSorted().join('')],
    ...(choices.length === 0
      ? []
      : [[found, `${indent}providers: [\n${providers}${indent}],`] as const]),
  ])
}

/** Removes the storage, and sign-in by email, which needs one. */
export function removeStorage(text: string): string {
  return text
    .replaceAll(
      /^import .* from '(?:@latchkey\/core\/providers\/email|\.\/(?:database|mailer)[^']*)'\n/gm,
      '',
    )
    .replace(/^ *storage(?:: .*)?,\n/m, '')
    .replace(/^ *email\(.*\),\n/m, '')
}
