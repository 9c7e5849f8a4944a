import type { AuthConfig, Messages } from '@latchkey/core'

const tags = ['ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt-BR', 'zh-Hans']

/** The packages with texts. */
const packages = ['core', 'account', 'passkeys', 'passwords', 'second-factor']

/** Every language besides English, by tag. */
export const languages: NonNullable<AuthConfig['messages']> = Object.fromEntries(
  await Promise.all(tags.map(async (tag) => [tag, await importTexts(tag)])),
)

async function importTexts(tag: string): Promise<readonly Messages[]> {
  const modules = packages.map((name) => import(`@latchkey/${name}/languages/${tag}`))
  return (await Promise.all(modules)).map((texts) => texts[tag.replace('-', '')])
}
