import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { storableText } from '../../kernel/json/storable-json.ts'
import { jsonDepth } from '../../kernel/sandbox/json-depth.ts'
import { answerDepthMax, messageMax } from './bounds.ts'

/** What a hook says of one record. */
export interface HookResult {
  readonly isRejected: boolean
  readonly message: string | null
  readonly field: string | null
  readonly changes: Readonly<Record<string, unknown>>
}

/** The reason why a hook did not decide, for administrators. */
export class HookFailure extends Error {
  /** `isCounted`: whether the hook itself failed, and not what stands before it. */
  constructor(
    message: string,
    readonly options: { readonly isCounted?: boolean; readonly retryAfter?: number } = {},
  ) {
    super(message)
  }
}

const wrong = (rule: string): HookFailure => new HookFailure(`The answer is not valid: ${rule}.`)

export function parsedBody(body: Buffer): unknown {
  const text = body.toString('utf8')
  if (jsonDepth(text) > answerDepthMax) throw wrong(`it has more than ${answerDepthMax} levels`)
  try {
    return parseJsonExactly(text)
  } catch {
    throw wrong('it is no JSON')
  }
}

/** The results of an answer, one for each record in the order of the call. */
export function resultsOf(answer: unknown, count: number): HookResult[] {
  const results = isJsonObject(answer) ? answer.results : undefined
  if (!Array.isArray(results)) throw wrong('it must be an object with the list results')
  if (results.length !== count) throw wrong(`results must have one item for each of the ${count} records`)
  return results.map(resultOf)
}

function resultOf(result: unknown, index: number): HookResult {
  const path = `results.${index}`
  if (!isJsonObject(result)) throw wrong(`${path} must be an object`)
  const { decision, message = null, field = null, changes = null } = result
  if (decision !== 'ALLOW' && decision !== 'REJECT') throw wrong(`${path}.decision must be ALLOW or REJECT`)
  if (message !== null && typeof message !== 'string') throw wrong(`${path}.message must be text`)
  if (field !== null && typeof field !== 'string') throw wrong(`${path}.field must be text`)
  if (changes !== null && !isJsonObject(changes)) throw wrong(`${path}.changes must be an object`)
  return {
    isRejected: decision === 'REJECT',
    message: message?.trim() ? storableText(message.slice(0, messageMax)) : null,
    field: field === null ? null : storableText(field.slice(0, 200)),
    changes: changes ?? {},
  }
}
