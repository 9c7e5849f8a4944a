/** Values with which an application starts, by the option that they are for. */
const placeholders: Readonly<Record<string, string>> = {
  issuer: 'https://issuer.example',
  domain: 'tenant.example',
  privateKey: '-----BEGIN PRIVATE KEY-----\\nreplaceMe\\n-----END PRIVATE KEY-----',
}

const DEFAULT = 'replace-me'

/** Returns what the scaffold writes for an option of a provider until its value is known. */
export function getPlaceholder(option: string): string {
  return placeholders[option] ?? DEFAULT
}

/** Returns whether a value still is what the scaffold has written. */
export function isPlaceholder(value: string): boolean {
  return [DEFAULT, ...Object.values(placeholders)].includes(value.replaceAll('\n', '\\n'))
}
