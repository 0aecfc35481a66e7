import { isErrorCode, Refusal, statusOfCode } from '../../../kernel/errors.ts'
import type { GraphAnswer, GraphQuery } from '../../../kernel/graph-port/graph-port.ts'
import type { WorkflowObject } from '../objects.ts'
import { failed, type StepOutcome, type StepRun } from './step-type.ts'

const costMax = 1_000
const reasonMax = 500
const readMs = 20_000

type Variables = Readonly<Record<string, unknown>>

interface ObjectArgument {
  /** In the list of the variables, before others. */
  readonly declared: string
  /** In the list of the arguments, before others. */
  readonly given: string
  readonly variables: Variables
}

/** The argument that names the custom object of an operation; none for types of the platform. */
export const objectArgument = ({ customName }: WorkflowObject): ObjectArgument =>
  customName === null
    ? { declared: '', given: '', variables: {} }
    : { declared: '$object: String!, ', given: 'object: $object, ', variables: { object: customName } }

/** Changes something through the graph as the run-as user, once for each key. */
export async function mutate(
  { services: { graph }, caller, key }: StepRun,
  document: string,
  variables: Variables,
  outputOf: (result: unknown) => unknown,
): Promise<StepOutcome> {
  const query: GraphQuery = { document, variables, costMax }
  const answer = await graph.execute(query, caller, { requestId: key, idempotencyKey: key }).catch(answerOf)
  return outcomeOf(answer, outputOf)
}

/** Reads through the graph as the run-as user. */
export async function read(
  { services: { graph }, caller, key }: StepRun,
  document: string,
  variables: Variables,
  outputOf: (result: unknown) => unknown,
): Promise<StepOutcome> {
  const query: GraphQuery = { document, variables, costMax }
  const answer = await graph.read(query, caller, { requestId: key, timeoutMs: readMs }).catch(answerOf)
  return outcomeOf(answer, outputOf)
}

function answerOf(thrown: unknown): GraphAnswer {
  if (!(thrown instanceof Refusal)) throw thrown
  return { data: null, errors: [{ message: thrown.message, extensions: { ...thrown.extensions } }] }
}

/** A refusal that another attempt may not get is no failure: the step is tried again. */
function outcomeOf({ data, errors }: GraphAnswer, outputOf: (result: unknown) => unknown): StepOutcome {
  const [error] = errors
  if (!error) return { output: outputOf(data?.['result']) }
  const code = error.extensions?.['code']
  if (
    isErrorCode(code) &&
    (statusOfCode[code] >= 500 || statusOfCode[code] === 429 || code === 'IDEMPOTENCY_IN_PROGRESS')
  ) {
    const { retryAfter } = error.extensions as { readonly retryAfter?: unknown }
    return { notBegun: error.message, afterMs: 1_000 * (typeof retryAfter === 'number' ? retryAfter : 5) }
  }
  const problems = error.extensions?.['errors'] as readonly { readonly message: string }[] | undefined
  const reasons = problems?.map(({ message }) => message).join(' ') ?? ''
  return failed(typeof code === 'string' ? code : 'REFUSED', (reasons || error.message).slice(0, reasonMax))
}
