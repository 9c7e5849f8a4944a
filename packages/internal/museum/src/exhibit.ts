import type { Capabilities, Setup, Subject } from './subject.ts'
import type { Version } from './versions.ts'

/** What an attack showed. */
export interface Verdict {
  readonly outcome: 'hit' | 'refused'
  /** What was seen: a status, a location, who is signed in. */
  readonly evidence: string
}

/** The parts of a subject that an attack uses. */
type Equipped<Name extends keyof Capabilities> = Subject & Required<Pick<Capabilities, Name>>

/** Why something does not run. */
export interface NotRun {
  readonly reason: string
}

/** An attack of an advisory. */
export interface Exhibit {
  /** The ids of the advisories, as `advisories.ts` has them. */
  readonly ids: readonly string[]
  /** A version with the fault, or why none runs here. */
  readonly affected: Version | NotRun
  /** What a subject must be able to do. */
  readonly needs: readonly (keyof Capabilities)[]
  readonly setup: Setup
  /**
   * Shows first that the request without the fault succeeds, then attacks.
   *
   * @throws AssertionError if the request without the fault fails: then the attack shows nothing
   */
  readonly attack: (subject: Subject) => Promise<Verdict>
}

interface ExhibitOptions<Name extends keyof Capabilities> extends Omit<
  Exhibit,
  'needs' | 'attack' | 'setup'
> {
  readonly needs: readonly Name[]
  readonly setup?: Setup
  readonly attack: (subject: Equipped<Name>) => Promise<Verdict>
}

/** Creates an exhibit whose attack is given only subjects that have what it needs. */
export function createExhibit<Name extends keyof Capabilities>({
  ids,
  affected,
  needs,
  setup = {},
  attack,
}: ExhibitOptions<Name>): Exhibit {
  return {
    ids,
    affected,
    needs,
    setup,
    attack: async (subject) => {
      if (!isEquipped(subject, needs)) {
        throw new TypeError(`expected a subject with ${needs.join(', ')}`)
      }
      return attack(subject)
    },
  }
}

/** Whether a subject has the parts that an attack needs. */
export function isEquipped<Name extends keyof Capabilities>(
  subject: Subject,
  needs: readonly Name[],
): subject is Equipped<Name> {
  return needs.every((name) => subject[name] !== undefined)
}

/** Returns the verdict of a condition that is true if the attack works. */
export function toVerdict(isHit: boolean, evidence: string): Verdict {
  return { outcome: isHit ? 'hit' : 'refused', evidence }
}
