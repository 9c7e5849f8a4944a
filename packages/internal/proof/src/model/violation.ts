/** A promise of the service that does not hold in a world. */
export class Violation extends Error {
  /** What has happened before, line by line. */
  readonly story: readonly string[]

  constructor(message: string, story: readonly string[]) {
    super(message)
    this.name = 'Violation'
    this.story = story
  }
}
