/** One deliberate fault in a model, with which ProVerif must find an attack. */
export interface ModelMutant {
  /** A file of `models`. */
  readonly file: string
  /** The text to replace, which the model has exactly once. */
  readonly text: string
  /** Default: the text is removed */
  readonly replacement?: string
  /** A second text to replace, if two checks refuse the same attack. */
  readonly also?: Pick<ModelMutant, 'text' | 'replacement'>
  /** The beginning of the comment of the query that the fault breaks. */
  readonly breaks: string
  /** What the fault is, in a few words. */
  readonly reason: string
}

/** A fault of one model. */
export type ModelFault = Omit<ModelMutant, 'file'>
