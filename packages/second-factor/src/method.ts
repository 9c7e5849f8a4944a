import type { Field, Messages, AuthenticationMethod, Factor, Runtime } from '@latchkey/core'

/** Encrypts what a factor keeps, such as the key of an authenticator app, for one user and one type. */
export interface FactorSealer {
  /** Encrypts a text under the first secret. */
  seal(text: string): Promise<string>
  /**
   * Returns the text; undefined if no configured secret opens it, or if it was sealed for another user or another
   * type of factor.
   */
  open(sealed: string): Promise<string | undefined>
}

/** What a method works with. */
export interface SecondFactorInput {
  /** What the user typed, by the names of the method's `fields`. */
  readonly fields: ReadonlyMap<string, string>
  /** Seconds since 1970. */
  readonly now: number
  readonly random: Runtime['random']
  readonly sealer: FactorSealer
}

/** A second factor that a user can prove. */
interface Method {
  /** The path segment, and the type of its factors in the storage: `[a-z0-9-]+`. */
  readonly id: string
  /** Returns what a factor without a name is called. Default: `id` */
  readonly typeName?: (messages: Messages) => string
  /** What a session records after it (RFC 8176), without `mfa`. */
  readonly methods: readonly AuthenticationMethod[]
  /** What the page asks for. */
  readonly fields: Readonly<Record<string, Field>>
  /** Returns the text of its button on the page. Default: `continue` */
  readonly button?: (messages: Messages) => string
  /** Returns the text of the link to it from the page of another method. Default: its id */
  readonly link?: (messages: Messages) => string
  /**
   * Compares what the user typed with a factor. What it returns is stored only if nothing else has changed the
   * factor meanwhile, so that a code works once: otherwise it is called again, with the factor as it is then.
   *
   * @returns The new `data` of the factor; undefined if what was typed is wrong
   *
   * @throws Error if the factor cannot be read: the answer is 503
   */
  verify(factor: Factor, input: SecondFactorInput): Promise<string | undefined>
  /**
   * Returns the `data` of a factor with everything in it sealed again, for `resealFactors` of
   * `@latchkey/second-factor/reseal-factors`. A method that seals nothing leaves it out.
   *
   * @throws Error if the factor cannot be read
   */
  reseal?(factor: Factor, input: Pick<SecondFactorInput, 'sealer'>): Promise<string>
}

/** How the page of an enrolment shows a new factor: for a device that reads the picture, the link, or the text. */
export interface EnrolmentView {
  /** A text that the user can type into the device. */
  readonly text: string
  /** A link that opens the device's application. */
  readonly url: string
  /** An SVG element, inserted into the page as it is. */
  readonly svg: string
}

/** A method that users enrol, and are then asked for. */
export interface EnrolledMethod extends Method {
  readonly isBackup?: false
  readonly isProvider?: false
  readonly enrolment: {
    /** Returns the text of the button that begins to enrol. Default: `enrol` of the group `secondFactor` */
    readonly button?: (messages: Messages) => string
    /** Returns a new secret. It is sealed into a cookie until a code has confirmed it. */
    begin(random: Runtime['random']): string
    /**
     * Shows the secret.
     *
     * @param issuer What the pages call the service
     * @param account What the pages call the user
     */
    show(secret: string, issuer: string, account: string): EnrolmentView
    /** Returns the `data` of the new factor; undefined if what was typed is wrong. */
    finish(secret: string, input: SecondFactorInput): Promise<string | undefined>
  }
}

/**
 * A method that stands in for the others, such as recovery codes: a user who has only this one has no
 * second factor. It is created with the first second factor, and the id of its factor is the user's id.
 */
export interface BackupMethod extends Method {
  readonly isBackup: true
  readonly isProvider?: false
  /** Returns the `data` of the factor, and the codes, which are shown once. */
  create(
    input: Pick<SecondFactorInput, 'random'>,
  ): Promise<{ readonly data: string; readonly codes: readonly string[] }>
}

/**
 * A factor by which users can sign in too, such as a passkey: the provider with this id asks for it and enrols it.
 * Each user who has one is asked for it after every other way of signing in.
 */
export interface ProviderMethod extends Pick<Method, 'id' | 'link'> {
  readonly isBackup?: false
  readonly isProvider: true
}

/** A method for which the service itself asks. */
export type AskedMethod = EnrolledMethod | BackupMethod

/** A second factor that a user can prove: an element of `secondFactor.methods`. */
export type SecondFactorMethod = AskedMethod | ProviderMethod
