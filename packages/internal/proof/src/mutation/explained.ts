import { factors } from './explained/factors.ts'
import { flow } from './explained/flow.ts'
import { oauth } from './explained/oauth.ts'
import { passwords } from './explained/passwords.ts'
import { protection } from './explained/protection.ts'
import { classes } from './explained/classes.ts'
import type { Explained, ExplainedClass } from './explained/explanation.ts'

/** Every survivor that is explained, by folders, by file and in the order of the lines. */
export const explained: readonly Explained[] = [
  ...flow,
  ...protection,
  ...factors,
  ...passwords,
  ...oauth,
]

/** Rules for survivors that are explained together. */
export const explainedClasses: readonly ExplainedClass[] = classes
