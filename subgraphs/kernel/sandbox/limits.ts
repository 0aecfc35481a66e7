/** The bounds of one invocation. Sizes are characters of JSON or text. */
export const limits = {
  inputMax: 262_144,
  outputMax: 262_144,
  /** Levels of lists and objects in the output: what is stored and answered is written by functions that call themselves for each. */
  outputDepthMax: 64,
  logLinesMax: 1_000,
  logCharactersMax: 65_536,
  callsMax: 100,
  fetchesMax: 50,
  /** Arguments of one call. */
  callArgumentsMax: 262_144,
  /** Answer to one call. */
  answerMax: 1_048_576,
  errorMax: 8_192,
  sourceMapMax: 1_048_576,
} as const

export type Limits = typeof limits
