/** How serious a finding is: `broken` does not work, `weak` works and should be changed. */
export type Level = 'ok' | 'note' | 'weak' | 'broken'

/** One line of the report. */
export interface Finding {
  readonly level: Level
  /** What was looked at: a variable, a provider, a server. */
  readonly subject: string
  /** What was found; never a secret. */
  readonly text: string
  /** What to do about it. Absent only if everything is right. */
  readonly fix?: string
}

/** Returns a finding that everything is right. */
export function ok(subject: string, text: string): Finding {
  return { level: 'ok', subject, text }
}

/** Returns a finding that is right in some applications: the fix says when to do what. */
export function note(subject: string, text: string, fix: string): Finding {
  return { level: 'note', subject, text, fix }
}

/** Returns a finding of a setting that works and should be changed. */
export function weak(subject: string, text: string, fix: string): Finding {
  return { level: 'weak', subject, text, fix }
}

/** Returns a finding of something that does not work. */
export function broken(subject: string, text: string, fix: string): Finding {
  return { level: 'broken', subject, text, fix }
}

/** Returns whether nothing is broken, and if `isStrict`, nothing is weak. */
export function isSound(findings: readonly Finding[], isStrict: boolean): boolean {
  const failing: readonly Level[] = isStrict ? ['broken', 'weak'] : ['broken']
  return findings.every(({ level }) => !failing.includes(level))
}
