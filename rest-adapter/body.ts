import type { IncomingMessage } from 'node:http'
import { parseBody, refuseOtherThanJson } from '../gateway/edge/body.ts'
import { problemsMax, invalidValuesIn as invalidValuesWithin, type Bounds } from '../gateway/edge/invalid-values.ts'
import { invalid, Refusal, type FieldProblem } from '../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../subgraphs/kernel/json/exact-number.ts'
import { jsonDepthMax } from '../subgraphs/kernel/record/scalars.ts'

/** Parses the body as JSON and refuses values that no operation could accept. */
export function readJson(raw: Buffer, headers: IncomingMessage['headers']): unknown {
  refuseOtherThanJson(headers, { suffixed: true })
  const body = parseBody(raw)
  const invalidValues = invalidValuesIn(body)
  if (invalidValues.length > 0) throw refusalOf(invalidValues)
  return body
}

/** Refuses fields in the body of an operation that takes no body. A body that neither is JSON nor claims to be is ignored. */
export function refuseFields(raw: Buffer, headers: IncomingMessage['headers']): void {
  let body: unknown
  try {
    body = parseBody(raw)
  } catch (refused) {
    if (/json/i.test(headers['content-type'] ?? '')) throw refused
    return
  }
  if (!isJsonObject(body)) {
    throw refusalOf([{ path: '', code: 'WRONG_TYPE', message: 'This operation takes no body; send none.' }])
  }
  const invalidValues = invalidValuesIn(body)
  const unknown = Object.keys(body).map((path) => {
    return { path, code: 'UNKNOWN_FIELD', message: `This operation takes no body; remove ${path}.` }
  })
  const problems = invalidValues.length > 0 ? invalidValues : unknown
  if (problems.length > 0) throw refusalOf(problems)
}

/** One refusal for several problems. Its code is `UNKNOWN_FIELD` if any field is unknown. */
export function refusalOf(problems: readonly FieldProblem[]): Refusal {
  const isUnknown = ({ code }: FieldProblem): boolean => code === 'UNKNOWN_FIELD'
  const reported = problems
    .toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)))
    .slice(0, problemsMax)
    .map(withShortNames)
  const [unknown] = reported
  if (!unknown || !isUnknown(unknown)) return invalid(...reported)
  const detail = reported.length === 1 ? unknown.message : `${reported.length} inputs are not valid.`
  return new Refusal('UNKNOWN_FIELD', detail, { errors: reported })
}

const quotedCharactersMax = 1000

const shortened = (text: string): string =>
  text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax).toWellFormed()}…`

/** Shortens path and message, because they have field names of the caller, which may be as long as a body. */
const withShortNames = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  path: shortened(problem.path),
  message: shortened(problem.message),
})

const bounds: Bounds = {
  whole: 'The body',
  levelsMax: jsonDepthMax,
  tooDeep: `The body must be nested at most ${jsonDepthMax} levels deep.`,
}

/** The problems of a value that no operation accepts. */
export const invalidValuesIn = (value: unknown): FieldProblem[] => invalidValuesWithin(value, bounds)
