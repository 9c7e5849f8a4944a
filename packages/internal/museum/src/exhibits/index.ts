import type { Exhibit } from '../exhibit.ts'
import { binding } from './binding.ts'
import { emails } from './emails.ts'
import { failOpen } from './fail-open.ts'
import { hosts } from './hosts.ts'
import { ids } from './ids.ts'
import { limits } from './limits.ts'
import { linking } from './linking.ts'
import { markupInjection } from './markup.ts'
import { once } from './once.ts'
import { redirects } from './redirects.ts'
import { secondFactors } from './second-factor.ts'
import { sessions } from './sessions.ts'

/** Every attack. */
export const exhibits: readonly Exhibit[] = [
  ...emails,
  ...binding,
  ...linking,
  ...once,
  ...sessions,
  ...failOpen,
  ...redirects,
  ...hosts,
  ...limits,
  ...ids,
  ...markupInjection,
  ...secondFactors,
]
