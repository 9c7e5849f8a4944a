import type { ExpectedFinding, Misconfiguration } from './row.ts'

const intro = `# Misconfigurations

Mistakes, with the words that the application prints: "Start" is the error at its start, "Request" the log or the reply. Search this
page for what you see. [\`latchkey doctor\`](/guide/command-line) finds each mistake, unless its row says more. A test makes each of them,
and writes this page.
`

const places: Readonly<Record<Misconfiguration['shown'], string>> = {
  start: 'Start',
  request: 'Request',
  provider: 'The provider',
  tests: 'The test',
}

/** Returns the page of the manual. */
export function renderMisconfigurations(rows: readonly Misconfiguration[]): string {
  return [intro, ...rows.map(renderRow)].join('\n')
}

function renderRow({ title, wrong, shown, message, doctor, fix }: Misconfiguration): string {
  const lines = [
    `- ${places[shown]}: ${message.map((part) => `\`${part}\``).join(', ')}`,
    renderDoctor(doctor, message),
    `- Fix: ${fix}`,
  ]
  const sentence = wrong.charAt(0).toUpperCase() + wrong.slice(1)
  return `## ${title}\n\n${sentence}.\n\n${lines.filter(Boolean).join('\n')}\n`
}

/** Says what the doctor finds, if it is more than the application says. */
function renderDoctor(doctor: ExpectedFinding | string, message: readonly string[]): string {
  if (typeof doctor === 'string') return `- Doctor: nothing, because ${doctor}`
  const { subject, text } = doctor
  const isSaid = message.some((part) => part.includes(text) || text.includes(part))
  return isSaid ? '' : `- Doctor: \`${subject}: … ${text}\``
}
