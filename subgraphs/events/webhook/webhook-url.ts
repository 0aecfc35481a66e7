import type { FieldProblem } from '../../kernel/errors.ts'
import type { Outbound } from '../../kernel/outbound/outbound.ts'
import { receiverUrlProblems } from '../../kernel/outbound/receiver-url.ts'

const isLocal: ReadonlySet<string> = new Set(['ADDRESS_NOT_PUBLIC', 'NOT_HTTPS'])

/** What is wrong with the address of a receiver. Who develops on a machine without a public address is told what to use. */
export async function urlProblems(outbound: Outbound, text: string): Promise<FieldProblem[]> {
  const problems = await receiverUrlProblems(outbound, text, 'url')
  return problems.map((problem) =>
    isLocal.has(problem.code)
      ? {
          ...problem,
          message: `${problem.message} To receive events on your own machine, use POST /v1/webhooks/listen.`,
        }
      : problem,
  )
}
