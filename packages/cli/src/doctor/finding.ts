/** How serious a finding is: `broken` does not work, `weak` works and should be changed. */
export type Level = 'ok' | 'note' | 'weak' | 'broken'

/** One line of the report. */
export interface Finding {
  readonly level: Level
  /** What was looked at: a variable, a provider, a server. */
  readonly subject: string
  /** What was found; never a secret. */
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

/** Returns a finding that everything is right. */
export function ok(subject: string, text: string): Finding {
  return { level: 'ok', subject, text }
}

/** Returns a finding that nothing follows from. */
export function note(subject: string, text: string): Finding {
  return { level: 'note', subject, text }
}

/** Returns a finding of a setting that works and should be changed. */
export function weak(subject: string, text: string, fix: string): Finding {
  return { level: 'weak', subject, text, fix }
}

/** Returns a finding of something that does not work. */
export function broken(subject: string, text: string, fix: string): Finding {
  return { level: 'broken', subject, text, fix }
}
