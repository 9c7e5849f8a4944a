import type { ExpectedFinding, Misconfiguration } from './row.ts'

const intro = `# Misconfigurations

Forty-two mistakes, with the message that leads to the fix: of the application, when it starts or at the first request that is
concerned, and of [\`latchkey doctor\`](/guide/command-line). Search this page for the words that you see. The page is written by the
test that makes each of these mistakes.
`

const places: Readonly<Record<Misconfiguration['shown'], string>> = {
  start: 'The application does not start',
  request: 'The log or the reply of a request',
  provider: 'The page of the provider',
  tests: 'The test',
}

/** Returns the page of the manual. */
export function renderMisconfigurations(rows: readonly Misconfiguration[]): string {
  return [intro, ...rows.map(renderRow)].join('\n')
}

function renderRow({ title, wrong, shown, message, doctor, fix }: Misconfiguration): string {
  const words = message.map((part) => `\`${part}\``).join(', ')
  return `## ${title}

- What is wrong: ${wrong}.
- ${places[shown]}: ${words}
- \`latchkey doctor\`: ${typeof doctor === 'string' ? `not found, because ${doctor}` : renderFinding(doctor)}
- What to do: ${fix}.
`
}

function renderFinding({ level, subject, text }: ExpectedFinding): string {
  return `${level}, \`${subject}${text === '' ? '' : `: … ${text}`}\``
}
