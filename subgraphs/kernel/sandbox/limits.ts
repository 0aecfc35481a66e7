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
  /** Arguments of one call, and the answer to it. */
  callArgumentsMax: 262_144,
  answerMax: 1_048_576,
  /** The same of a request to a service: its body may have 1 MB, of which JSON escapes every sign, and headers. */
  requestMax: 2_200_000,
  errorMax: 8_192,
  sourceMapMax: 1_048_576,
} as const

/** Whether a call is a request to a service, by `fetch` or with a credential. */
export const isRequest = (kind: string): boolean => kind === 'fetch' || kind === 'credential'

export type Limits = typeof limits
