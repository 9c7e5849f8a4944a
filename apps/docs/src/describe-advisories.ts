import { advisories, faults } from './advisories.ts'
import type { Advisory, Outcome, TestReference } from './advisories.ts'
import { linkAdvisory } from './link-advisory.ts'

const outcomes: Readonly<Record<Outcome['hit'], string>> = {
  no: 'Not hit',
  depends: 'Depends',
  absent: 'Does not apply',
}

/** Fills in how many advisories there are, how many hit Latchkey, and a table for each fault. */
export function describeAdvisories(page: string): string {
  const tables = Object.entries(faults).map(([fault, title]) => {
    const rows = advisories.filter((advisory) => advisory.fault === fault)
    return `## ${title}\n\n${toTable(rows)}\n`
  })
  return page
    .replace('<!--@counts-->', describeCounts())
    .replace('<!--@advisories-->', () => tables.join('\n'))
}

function count(hit: Outcome['hit']): number {
  return advisories.filter(({ latchkey }) => latchkey.hit === hit).length
}

function describeCounts(): string {
  return [
    `| Latchkey | Of ${advisories.length} |`,
    '| --- | ---: |',
    `| **${outcomes.no}**: a check refuses it, and a test fails without the check | ${count('no')} |`,
    `| **${outcomes.depends}**: hit under the condition that the row names | ${count('depends')} |`,
    `| **${outcomes.absent}**: Latchkey does not have the feature | ${count('absent')} |`,
  ].join('\n')
}

function toTable(rows: readonly Advisory[]): string {
  return [
    '| Advisory | What happened | Latchkey |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| ${describeSource(row)} | ${row.what} | ${describeOutcome(row)} |`),
  ].join('\n')
}

function describeSource(advisory: Advisory): string {
  const { package: name, fixed, date } = advisory
  const facts = [name, fixed && `fixed in ${fixed}`, date].filter(Boolean).join(', ')
  return `${linkAdvisory(advisory)}<br>${facts}`
}

function describeOutcome({ latchkey }: Advisory): string {
  const verdict = `**${outcomes[latchkey.hit]}.** ${latchkey.note}`
  if (latchkey.hit === 'absent') return verdict
  const rules = latchkey.rules.map((rule) => `[${rule}](./reference/interface.md)`).join(', ')
  const tests = latchkey.tests.map(describeTest)
  return [verdict + (rules === '' ? '' : ` ${rules}.`), ...tests].join('<br>')
}

function describeTest({ file, title }: TestReference): string {
  return `\`${file}\`: “${title.replaceAll(/[{}<>|]/g, (mark) => `&#${mark.charCodeAt(0)};`)}”`
}
