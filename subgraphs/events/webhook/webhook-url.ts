import type { FieldProblem } from '../../kernel/errors.ts'
import type { Outbound } from '../../kernel/outbound/outbound.ts'
import { receiverUrlProblems } from '../../kernel/outbound/receiver-url.ts'

/** What is wrong with the address of a receiver. */
export const urlProblems = (outbound: Outbound, text: string): Promise<FieldProblem[]> =>
  receiverUrlProblems(outbound, text, 'url')
