import { parseArgs } from 'node:util'
import { describeMachine, recordResults } from '../output/record.ts'
import { describeFindings, toFinding, toRecord } from './describe.ts'
import type { Finding } from './describe.ts'
import { measureSubject } from './measure.ts'
import { createSubjects } from './subjects.ts'

const { values } = parseArgs({
  options: {
    hasher: { type: 'string', default: 'cheap' },
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    requests: { type: 'string' },
    subject: { type: 'string' },
    update: { type: 'boolean' },
  },
})
const { hasher } = values
if (hasher !== 'cheap' && hasher !== 'scrypt') {
  throw new Error(`--hasher must be cheap or scrypt, got ${hasher}`)
}
const requests = Number(
  values.requests ?? (hasher === 'scrypt' ? 100 : values.quick ? 1000 : 10_000),
)
const findings: Finding[] = []
for (const subject of await createSubjects(hasher)) {
  if (values.subject !== undefined && subject.title !== values.subject) continue
  const timings = await measureSubject(subject, { requests })
  findings.push(...timings.map(toFinding))
}

if (values.json) console.log(JSON.stringify({ hasher, requests, findings }, null, 2))
else {
  console.log(`${describeMachine()}: ${requests} requests for known and as many for unknown email addresses, \
${hasher === 'cheap' ? 'the same cheap hash for all' : 'the scrypt of each'}.

${describeFindings(findings)}`)
}

if (values.update) {
  recordResults('timing', { hasher, requests, findings: toRecord(findings) }, {})
}
