import type { IncomingMessage } from 'node:http'
import { parseBody, refuseOtherThanJson } from '../gateway/edge/body.ts'
import { problemsMax, unfitIn as unfitWithin, type Bounds } from '../gateway/edge/unfit.ts'
import { invalid, Refusal, type FieldProblem } from '../subgraphs/kernel/errors.ts'
import { isJsonObject } from '../subgraphs/kernel/exact-number.ts'
import { jsonDepthMax } from '../subgraphs/kernel/record/scalars.ts'

/** The body as JSON, refused where no operation could accept it. */
export function readJson(raw: Buffer, headers: IncomingMessage['headers']): unknown {
  refuseOtherThanJson(headers, { suffixed: true })
  const body = parseBody(raw)
  const unfit = unfitIn(body)
  if (unfit.length > 0) throw refusalOf(unfit)
  return body
}

/** Where no body belongs, nothing that is said is dropped. What is no JSON, nor called so, says nothing. */
export function refuseFields(raw: Buffer, headers: IncomingMessage['headers']): void {
  let body: unknown
  try {
    body = parseBody(raw)
  } catch (refused) {
    if (/json/i.test(headers['content-type'] ?? '')) throw refused
    return
  }
  if (!isJsonObject(body)) {
    throw refusalOf([{ path: '', code: 'WRONG_TYPE', message: 'This operation takes no body.' }])
  }
  const unfit = unfitIn(body)
  const unknown = Object.keys(body).map((path) => {
    return { path, code: 'UNKNOWN_FIELD', message: `${path} is not a field of this operation, which takes no body.` }
  })
  const problems = unfit.length > 0 ? unfit : unknown
  if (problems.length > 0) throw refusalOf(problems)
}

/** One refusal of several problems: `UNKNOWN_FIELD` when a field is unknown, whatever else is wrong. */
export function refusalOf(problems: readonly FieldProblem[]): Refusal {
  const isUnknown = ({ code }: FieldProblem): boolean => code === 'UNKNOWN_FIELD'
  const shown = problems
    .toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)))
    .slice(0, problemsMax)
    .map(inBrief)
  const [unknown] = shown
  if (!unknown || !isUnknown(unknown)) return invalid(...shown)
  const detail = shown.length === 1 ? unknown.message : `${shown.length} inputs are not valid.`
  return new Refusal('UNKNOWN_FIELD', detail, { errors: shown })
}

const quotedCharactersMax = 1000

const shortened = (text: string): string =>
  text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax).toWellFormed()}…`

/** Names of fields are the caller's, and may be as long as a body. */
const inBrief = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  path: shortened(problem.path),
  message: shortened(problem.message),
})

const bounds: Bounds = {
  whole: 'The body',
  levelsMax: jsonDepthMax,
  tooDeep: `A body is nested at most ${jsonDepthMax} levels deep.`,
}

/** What is wrong with any input, whatever its operation says of it. */
export const unfitIn = (value: unknown): FieldProblem[] => unfitWithin(value, bounds)
