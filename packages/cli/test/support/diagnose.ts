import { examine } from '../../src/doctor/examine.ts'
import type { ExamineOptions } from '../../src/doctor/examine.ts'
import { isSound } from '../../src/doctor/finding.ts'
import type { Finding } from '../../src/doctor/finding.ts'

/** What `latchkey doctor` finds. */
export interface Diagnosis {
  /** The exit code. */
  readonly code: 0 | 1
  readonly findings: readonly Finding[]
  /** The findings that are neither in order nor only a note, as `weak AUTH_SECRET: …`. */
  readonly problems: readonly string[]
  /** Returns the texts about a subject. */
  readonly texts: (subject: string) => readonly string[]
}

/** Runs the checks of `latchkey doctor` in this process, which takes milliseconds in place of a second. */
export async function diagnose(
  folder: string,
  env: Readonly<Record<string, string>>,
  { strict = false, ...options }: ExamineOptions & { readonly strict?: boolean },
): Promise<Diagnosis> {
  const original = process.env
  const { PATH, HOME } = original
  process.env = { PATH, HOME, JITI_FS_CACHE: 'true', ...env }
  try {
    const { findings } = await examine(folder, options)
    return {
      code: isSound(findings, strict) ? 0 : 1,
      findings,
      problems: findings
        .filter(({ level }) => level === 'weak' || level === 'broken')
        .map(({ level, subject, text }) => `${level} ${subject}: ${text}`),
      texts: (subject) => findings.flatMap((each) => (each.subject === subject ? each.text : [])),
    }
  } finally {
    process.env = original
  }
}
