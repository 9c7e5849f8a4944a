/** Thrown by a place that runs so often that a loop around it does not end. */
class LoopError extends Error {
  override readonly name: string = 'LoopError'
}

/**
 * Chooses the mutant of a program that has them all, and records which ones a test reaches: the methods are
 * called by the texts of `schemata.ts`. A mutant counts as reached only if it would change a value.
 */
export class MutantSwitch {
  /** The active mutant; 0 for none. */
  #active = 0
  #reached: Uint8Array
  #isRecording = false
  #steps = 0
  #limit = Infinity
  /** Whether the place of the active mutant has run. */
  hasRun = false

  /** @param count The number of the last mutant */
  constructor(count: number) {
    this.#reached = new Uint8Array(count + 1)
  }

  /** Whether the active mutant has reached the limit of {@link activate}. */
  get loops(): boolean {
    return this.#steps > this.#limit
  }

  /** Begins to record the mutants that are reached. */
  record(): void {
    this.#reached.fill(0)
    this.#steps = 0
    this.#isRecording = true
  }

  /** Returns the numbers of the mutants that were reached since {@link record}, and the steps that it took. */
  stop(): { readonly reached: readonly number[]; readonly steps: number } {
    this.#isRecording = false
    const reached: number[] = []
    for (let n = 1; n < this.#reached.length; n += 1) if (this.#reached[n] === 1) reached.push(n)
    return { reached, steps: this.#steps }
  }

  /**
   * Makes a mutant the active one, until {@link deactivate}.
   *
   * @param limit How often places may run before it counts as a loop
   */
  activate(number: number, limit: number): void {
    this.#active = number
    this.#limit = limit
    this.#steps = 0
    this.hasRun = false
  }

  /** Makes no mutant active. */
  deactivate(): void {
    this.#active = 0
    this.#limit = Infinity
  }

  /** Notes that a mutant is reached, and returns whether it is active. */
  is(number: number): boolean {
    if (this.#isRecording) this.#reached[number] = 1
    return this.on(number)
  }

  /** Returns whether a mutant is active. */
  on(number: number): boolean {
    this.#steps += 1
    if (this.#active === 0) return false
    if (this.#steps > this.#limit) throw new LoopError(`mutant ${this.#active} does not end`)
    if (this.#active !== number) return false
    this.hasRun = true
    return true
  }

  /** Notes that a mutant is reached. */
  note(number: number): void {
    if (this.#isRecording) this.#reached[number] = 1
  }

  /** Negates a value, if the mutant is active. */
  negate(number: number, value: unknown): unknown {
    return this.is(number) ? !value : value
  }

  /** Replaces a value by false, if the mutant is active. */
  never(number: number, value: unknown): unknown {
    if (value) this.note(number)
    return this.on(number) ? false : value
  }

  /** Notes a mutant that drops an operand of `&&` or `||`, if the operand decides. */
  decide(number: number, isOr: boolean, value: unknown): unknown {
    if (Boolean(value) === isOr) this.note(number)
    return value
  }

  /** Compares two values, without the boundary if the mutant is active, or with it. */
  compare(number: number, sign: string, left: never, right: never): boolean {
    const usual = compare(sign, left, right)
    const other = compare(sign.endsWith('=') ? sign.slice(0, -1) : `${sign}=`, left, right)
    if (usual !== other) this.note(number)
    return this.on(number) ? other : usual
  }
}

function compare(sign: string, left: never, right: never): boolean {
  if (sign === '<') return left < right
  if (sign === '<=') return left <= right
  return sign === '>' ? left > right : left >= right
}
